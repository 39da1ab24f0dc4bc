import { describe, expect, it } from "vitest";

import { gardenTeam } from "../../test-support/garden-team.ts";
import { roleWindows } from "../history/role-windows.ts";

const BEDS = Array.from({ length: 60 }, (_, nth) =>
  nth === 40
    ? "The kohlrabi bed wants water in the evening and some shade at noon."
    : "This bed has its rest until spring, under leaves and some old straw.",
);

describe("a worker whose window no longer shows what it found", () => {
  it("looks it up in the thread, reports it word for word, and cites the number it had", async () => {
    const { team, entries, calls } = await gardenTeam({
      files: { "beds.md": `# Beds\n\n${BEDS.join("\n\n")}\n` },
      windows: roleWindows([8000, 4000, 1300]),
    });

    await team.ask("When does the kohlrabi bed want water?");

    const looking = entries.find(
      (entry) =>
        entry.type === "action" && entry.toolCalls.some(({ name }) => name === "history_search"),
    );
    const { taskId } = looking ?? {};
    const work = entries.filter((entry) => entry.taskId === taskId);
    const found = work.flatMap((entry) => (entry.type === "observation" ? [entry] : []));
    const source = found
      .flatMap(({ sources = [] }) => sources)
      .find(({ text }) => text.includes("kohlrabi"));
    const report = work.find(({ type }) => type === "final")?.content;
    expect(report).toContain(`[source${source?.number}]`);
    expect(report).toContain(`> ${BEDS[40]}`);
    expect(calls.every(({ requestTokens, windowTokens }) => requestTokens <= windowTokens)).toBe(
      true,
    );
  });

  it("is offered no tools to look back while its window shows all", async () => {
    const { team, entries } = await gardenTeam();
    await team.ask("When is a tomato ripe?");
    const names = entries.flatMap((entry) => (entry.type === "action" ? entry.toolCalls : []));
    expect(names.map(({ name }) => name)).not.toContain("history_search");
  });
});
