import type { HistoryEntry } from "@agent-history/core";
import { createReducer } from "@agent-history/reducer";
import { describe, expect, it } from "vitest";

import { counter } from "../test-support/character-counter.ts";
import { managerOptions } from "../test-support/manager-options.ts";
import { createHistoryManager } from "./create-history-manager.ts";
import type { HistoryManager, NewAttachment } from "./index.ts";

const CALL = { systemMessage: "s" };

describe("uploads", () => {
  it("are shown whole while the prompt has room", async () => {
    const history = createHistoryManager(managerOptions({ window: { contextTokens: 1000 } }));
    await ask(history, "u1", { id: "f1", content: "a".repeat(500) });
    await ask(history, "u2", { id: "f2", content: "b".repeat(300) });
    const { entries } = await history.historyForModelCall(CALL);
    expect(uploads(entries)).toEqual(["a".repeat(500), "b".repeat(300)]);
  });

  it("have at most 60 % of the prompt where room is short, or the share of the reducer", async () => {
    const window = { contextTokens: 2000, outputReserveTokens: 500, marginTokens: 500 };
    for (const ceiling of [0.6, 0.3]) {
      const reducer = createReducer({ counter, uploads: { floor: 0.1, ceiling } });
      const given = ceiling === 0.6 ? { window } : { window, reducer };
      const history = createHistoryManager(managerOptions(given));
      for (const id of ["u1", "u2", "u3"]) await ask(history, id, { content: "word ".repeat(200) });
      const { entries, counts } = await history.historyForModelCall(CALL);
      const tokens = uploads(entries).reduce((sum, text) => sum + text.length, 0);
      expect(tokens).toBeLessThanOrEqual(1000 * ceiling);
      expect(tokens).toBeGreaterThan(0);
      expect(counts.shownTokens).toBeLessThanOrEqual(1000);
    }
  });

  it("are shown by choice", async () => {
    const history = createHistoryManager(managerOptions());
    await ask(history, "u1", { id: "f1", content: "1" });
    await ask(history, "u2", { id: "f2", content: "2" });
    const shown = async (chosen: readonly string[]): Promise<readonly string[]> =>
      uploads((await history.historyForModelCall({ ...CALL, uploads: chosen })).entries);
    expect(await shown(["f2", "f9"])).toEqual(["2"]);
    expect(await shown([])).toEqual([]);
  });

  it("stay whole if they are pinned", async () => {
    const history = createHistoryManager(managerOptions({ window: { contextTokens: 1000 } }));
    await ask(history, "u1", { id: "f1", content: "a".repeat(700), pinned: true });
    await ask(history, "u2", { id: "f2", content: "b ".repeat(400) });
    const { entries } = await history.historyForModelCall(CALL);
    expect(uploads(entries)[0]).toBe("a".repeat(700));
  });
});

async function ask(history: HistoryManager, id: string, file: NewAttachment): Promise<void> {
  await history.addUserMessage({ id, content: "q", attachments: [file] });
}

function uploads(entries: readonly HistoryEntry[]): readonly string[] {
  return entries.flatMap((entry) =>
    entry.type === "attachment" && typeof entry.content === "string" ? [entry.content] : [],
  );
}
