import { GARDEN_FILES, temporaryFolder } from "@agent-history/offline-model/test-support";
import { describe, expect, it } from "vitest";

import { virtualTerminal } from "../test-support/virtual-terminal.ts";
import { runCli } from "./run-cli.ts";

describe("runCli on a terminal", () => {
  it.each([60, 140])(
    "leaves each phase once, done, above the answer, in %i columns",
    async (columns) => {
      const lines = await runOn(columns, {});
      const phases = lines.filter((line) => /^ {2}\S phase /.test(line));
      const workers = lines.filter((line) => /^ {4}\S \S+-reader-\d/.test(line));

      expect(phases.map((line) => line.slice(0, 14).trim())).toEqual([
        "✔ phase find",
        "✔ phase read",
      ]);
      expect(workers.length).toBeGreaterThan(2);
      expect(workers.every((line) => line.startsWith("    ✔ "))).toBe(true);
      expect(lines.findIndex((line) => line.includes("comes off the stem"))).toBeGreaterThan(
        lines.findIndex((line) => line.includes("phase read")),
      );
    },
  );

  it("writes lines where a terminal cannot go back to one", async () => {
    const lines = await runOn(140, { TERM: "dumb" });

    expect(lines.join("\n")).toContain("→ document-reader-1: Search for passages");
    expect(lines.join("\n")).not.toContain("✔");
  });
});

async function runOn(
  columns: number,
  env: Readonly<Record<string, string>>,
): Promise<readonly string[]> {
  await using garden = await temporaryFolder(GARDEN_FILES);
  const terminal = virtualTerminal(columns, 40);
  const args = ["When is a tomato ripe?", "--dir", garden.path, "--store", "memory"];
  await runCli(args, {
    stdout: terminal,
    stderr: terminal,
    env,
    defaultFolder: garden.path,
    cacheFolder: "/nowhere",
    lines: async function* () {},
    signal: new AbortController().signal,
  });
  return terminal.lines();
}
