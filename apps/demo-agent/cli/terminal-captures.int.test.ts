import { mkdir, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";

import { GARDEN_FILES, temporaryFolder } from "@agent-history/offline-model/test-support";
import { describe, expect, it } from "vitest";

import { virtualTerminal } from "../test-support/virtual-terminal.ts";
import type { OutputStream } from "./output.ts";
import { runCli } from "./run-cli.ts";

/** What the terminal showed is left here, for whoever wants to look. */
const CAPTURES = fileURLToPath(new URL("../node_modules/.cache/captures/", import.meta.url));
const LONG_WORDS = `# Compost and its care

Compost turns kitchen scraps into soil, and whoever turns the heap every second week has it ready within a quarter of a year, without any smell.
See docs/a-rather-long-path/of-a-file-whose-name/takes-most-of-a-line.md for more of it.
`;

describe.each([80, 100, 120])("a session on a terminal of %i columns", (columns) => {
  it.each([[], ["--calls"]])("breaks nothing within a word (%j)", async (...flags) => {
    await using garden = await temporaryFolder({ ...GARDEN_FILES, "care.md": LONG_WORDS });
    // One after the other, so that both runs count the same.
    const args = [
      "--at-once",
      "1",
      ...flags,
      "--dir",
      garden.path,
      "--store",
      "memory",
      "--thread",
      "garden",
    ];
    const terminal = virtualTerminal(columns, 40);
    let whole = "";
    await run(terminal, args);
    await run({ write: (text) => (whole += text) }, args);
    const lines = await terminal.lines();
    await mkdir(CAPTURES, { recursive: true });
    await writeFile(`${CAPTURES}${columns}${flags.join("")}.txt`, `${lines.join("\n")}\n`);

    const known = new Set(whole.split(/\s+/));
    const broken = lines
      .join("\n")
      .split(/\s+/)
      .filter((word) => !known.has(word) && !MARK.test(word));

    expect(broken).toEqual([]);
    expect(await terminal.wrappedLines()).toBe(0);
    expect(lines.slice(0, 4)).toEqual([
      expect.stringMatching(/^Offline model: /),
      expect.stringMatching(/^7 files · windows .* · thread garden \(memory\)$/),
      "",
      expect.stringMatching(/^user /),
    ]);
    expect(lines.join("\n")).not.toMatch(/\b1 (?:calls|entries|files|summaries|workers)\b/);
  });
});

describe("a terminal", () => {
  it("shows a spinner before anything is read", async () => {
    await using garden = await temporaryFolder(GARDEN_FILES);
    const written: string[] = [];
    const terminal = { isTTY: true, write: (text: string) => written.push(text) };
    await run(terminal, ["When?", "--dir", garden.path, "--store", "memory"]);

    expect(written[0]).toContain("⠋ reads the documents");
    expect(written.findIndex((text) => text.includes("Offline model"))).toBeGreaterThan(0);
  });
});

/** What live progress draws, and where a line was cut. */
const MARK = /^(?:[✔✘·⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏…>]|phase|find|read|asks:|answer)$|…$/u;

async function run(stdout: OutputStream, args: readonly string[]): Promise<void> {
  const exitCode = await runCli(args, {
    stdout,
    stderr: stdout,
    env: { NO_COLOR: "1" },
    defaultFolder: "/nowhere",
    cacheFolder: "/nowhere",
    lines: async function* () {},
    signal: new AbortController().signal,
  });
  expect(exitCode).toBe(0);
}
