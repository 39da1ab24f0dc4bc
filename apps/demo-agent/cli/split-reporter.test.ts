import { GARDEN_FILES, temporaryFolder } from "@agent-history/offline-model/test-support";
import { describe, expect, it } from "vitest";

import { runCliHere } from "../test-support/run-cli-here.ts";
import { virtualTerminal } from "../test-support/virtual-terminal.ts";
import type { OutputStream } from "./output.ts";
import { runCli } from "./run-cli.ts";
import { sideWidth, windowBar } from "./split-frame.ts";

const SPLIT = ["--split", "--at-once", "1", "--store", "memory", "--thread", "garden"];
const CALL = /^(?:orchestrator|manager|worker) .*?([\d,]+)\/([\d,]+) +│ .* ([\d,]+)\/([\d,]+)$/;

describe.each([80, 100, 120])("--split on a terminal of %i columns", (columns) => {
  it("draws two columns, each call in one line, and what a summary stood for", async () => {
    await using garden = await temporaryFolder({
      ...GARDEN_FILES,
      "漢字.md": "# 漢字 🍅\n\n漢字。",
    });
    const terminal = virtualTerminal(columns, 40);
    await run(terminal, [...SPLIT, "--dir", garden.path, "--window", "1400,1100,1000"]);
    const lines = await terminal.lines();
    const calls = lines.flatMap((line) => {
      const sizes = CALL.exec(line)?.slice(1).map(toNumber);
      return sizes === undefined ? [] : [sizes];
    });
    const [, over, all] = /│ (\d+) of (\d+) calls would not fit$/m.exec(lines.join("\n")) ?? [];

    expect(await terminal.wrappedLines()).toBe(0);
    expect(calls.length).toBeGreaterThan(10);
    expect(calls).toHaveLength(Number(all));
    for (const [shown = 0, window = 0, , same] of calls)
      expect([shown <= window, same]).toEqual([true, window]);
    expect(calls.filter(([, , whole = 0, window = 0]) => whole > window)).toHaveLength(
      Number(over),
    );
    expect(Number(over)).toBeGreaterThan(0);
    for (const line of lines.filter((text) => CALL.test(text) || text.startsWith("a summary: ")))
      expect(line.indexOf(" │ ")).toBe(sideWidth(columns));
    expect(lines.some((line) => /^a summary: [\d,]+ tokens +│ expanded: /.test(line))).toBe(true);
    expect(lines.some((line) => line.includes("│ ✂ full: "))).toBe(true);
    expect(lines.join("\n")).toMatch(/^compression +expanded: \d+ summaries undone/m);
  });
});

describe("--split", () => {
  it("is plain text where nobody looks at a terminal", async () => {
    await using garden = await temporaryFolder(GARDEN_FILES);
    const { exitCode, output } = await runCliHere(...SPLIT, "--dir", garden.path);

    expect(exitCode).toBe(0);
    expect(output).not.toContain("\u001B");
    expect(output).toMatch(/^with agent-history +│ without/m);
  });

  it("lets no document steer the terminal", async () => {
    await using garden = await temporaryFolder({
      "notes.md": "# Tomato\n\nA tomato is ripe when \u001B]0;owned\u0007\u001B[2Jred, in July.\n",
    });
    const { output } = await runCliHere(...SPLIT, "--dir", garden.path, "When is a tomato ripe?");

    expect(output).not.toContain("\u001B");
    expect(output).not.toContain("\u0007");
  });
});

describe("windowBar", () => {
  it.each([
    [0, "░░░░░░░░░ "],
    [1, "█░░░░░░░░ "],
    [100, "█████████ "],
    [101, "█████████▶"],
  ])("shows how much of a window %i of 100 tokens take", (tokens, bar) => {
    expect(windowBar(tokens, 100, 10)).toBe(bar);
  });
});

function toNumber(text: string): number {
  return Number(text.replaceAll(",", ""));
}

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
