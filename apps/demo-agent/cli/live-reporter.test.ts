import { action, errorEntry, final, strategicPlan, synthesis } from "@agent-history/core";
import { assistantMessage, task, userMessage } from "@agent-history/core";
import type { Agent, EntrySources } from "@agent-history/core";
import { describe, expect, it } from "vitest";

import { countingSources } from "../test-support/counting-sources.ts";
import { virtualTerminal } from "../test-support/virtual-terminal.ts";
import type { VirtualTerminal } from "../test-support/virtual-terminal.ts";
import { liveReporter } from "./live-reporter.ts";
import { createOutput } from "./output.ts";
import type { Reporter } from "./reporter.ts";
import { textReporter } from "./text-reporter.ts";

const ORCHESTRATOR: Agent = { id: "orchestrator", role: "orchestrator" };
const MANAGER: Agent = { id: "manager-1", role: "manager" };
const FIRST: Agent = { id: "source-reader-1", role: "worker" };
const SECOND: Agent = { id: "document-reader-1", role: "worker" };

const EMPTY = { root: "/", documents: [], sizeBytes: 0, skipped: [] };

describe("liveReporter", () => {
  it("draws phases, and in them workers side by side with what each is about", async () => {
    const { reporter, terminal } = open();
    playBeginning(reporter);

    expect(await terminal.lines()).toEqual([
      "",
      "user               When is a tomato ripe?",
      "⠋ orchestrator         plans find, then read: When is a tomato ripe?",
      "  ⠋ phase find         Find it.",
      '    ⠋ source-reader-1  search_text {"query":"tomato"}',
      "    ⠋ document-reader-1 Search notes.",
      "  · phase read         Read it.",
    ]);
  });

  it("marks what is done and what failed, and leaves the tree where the answer begins", async () => {
    const { reporter, terminal } = open();
    const beginning = playBeginning(reporter);
    const { sources, ...under } = beginning;
    reporter.entry(final({ ...under, content: "notes.md:1-2 [source1]:", agent: FIRST }, sources));
    reporter.entry(errorEntry({ ...under, content: "The server failed.", agent: SECOND }, sources));
    reporter.entry(final({ ...under, content: "Nothing found.", agent: SECOND }, sources));
    reporter.entry(
      synthesis({ ...under, content: "notes.md:1-2 [source1]:", agent: MANAGER }, sources),
    );
    reporter.entry(assistantMessage({ content: "When red.", turnId: "t" }, sources));
    reporter.answer({ turnId: "t", text: "When red.", failures: [] });

    expect((await terminal.lines()).slice(2)).toEqual([
      "document-reader-1  The server failed.",
      "✔ orchestrator         plans find, then read: When is a tomato ripe?",
      "  ✔ phase find         synthesis of phase find: notes.md:1-2 [source1]",
      "    ✔ source-reader-1  reports notes.md:1-2 [source1]",
      "    ✘ document-reader-1 reports Nothing found.",
      "  · phase read         Read it.",
      "",
      "When red.",
    ]);
  });

  it("shows the end of what is being written, at the next tick, and why a try was void", async () => {
    const { reporter, terminal, tick } = open();
    playBeginning(reporter);
    for (const delta of ["I look ", "for a ", "tomato"])
      reporter.modelEvent(SECOND, { type: "text", delta });
    const before = await terminal.lines();
    tick();
    const after = await terminal.lines();
    reporter.modelEvent(SECOND, { type: "retry", attempt: 1, delayMs: 1, reason: "It broke off" });
    const last = await terminal.lines();

    expect(before.join("\n")).not.toContain("writes");
    expect(after).toContain("    ⠙ document-reader-1 writes … I look for a tomato");
    expect(last).toContain("document-reader-1  tries again: It broke off");
    expect(last).toContain("    ⠙ document-reader-1 tries again: It broke off");

    reporter.modelEvent(SECOND, { type: "text", delta: "anew" });
    tick();
    expect(await terminal.lines()).toContain("    ⠹ document-reader-1 writes … anew");
  });

  it.each([20, 33, 61, 200])(
    "draws no line twice in %i columns, and wraps none",
    async (columns) => {
      const { reporter, terminal, tick } = open(columns);
      playBeginning(reporter);
      for (let count = 0; count < 50; count++) {
        reporter.modelEvent(FIRST, { type: "text", delta: `word 日本語 🍅 ${count} ` });
        tick();
      }
      const drawn = (await terminal.lines()).slice(2);

      expect(drawn).toHaveLength(5);
      expect(drawn.map((line) => line.trim().slice(2, 7))).toEqual([
        "orche",
        "phase",
        "sourc",
        "docum",
        "phase",
      ]);
    },
  );

  it("draws the end of what is longer than the terminal", async () => {
    const { reporter, terminal, tick } = open(80, 4);
    playBeginning(reporter);
    tick();
    tick();
    const lines = await terminal.lines();

    expect(lines.filter((line) => line.includes("phase read"))).toHaveLength(1);
    expect(lines.at(-1)).toContain("phase read");
  });

  it("draws on where a window changes its size", async () => {
    const { reporter, terminal, tick } = open(120);
    playBeginning(reporter);
    terminal.resize(40, 30);
    tick();
    tick();
    const drawn = (await terminal.lines()).filter((line) => line.includes("orchestrator"));

    // What stood there before was wrapped by the terminal itself; its first lines may stay.
    expect(drawn.filter((line) => /^[⠙⠹]/u.test(line))).toHaveLength(1);
    expect((await terminal.lines()).every((line) => line.length <= 40)).toBe(true);
  });

  it("lets no model and no document steer the terminal", async () => {
    const { reporter, terminal, tick, written } = open();
    const beginning = playBeginning(reporter);
    const { sources, ...under } = beginning;
    const hostile = "\u001B]0;owned\u0007\u001B[2J\u001B[31mred\r\n\u009B2Jend";
    reporter.modelEvent(FIRST, { type: "text", delta: hostile });
    tick();
    reporter.entry(final({ ...under, content: hostile, agent: FIRST }, sources));
    reporter.answer({ turnId: "t", text: hostile, failures: [] });

    expect(terminal.titles).toEqual([]);
    for (const control of ["\u001B]", "\u001B[2J", "\u009B", "\u001B[31m", "\r"])
      expect(written()).not.toContain(control);
    expect((await terminal.lines())[1]).toContain("When is a tomato ripe?");
  });

  it("stops its clock at the end, also of a run that was stopped", () => {
    const { reporter, ticking } = open();
    playBeginning(reporter);
    const during = ticking();
    reporter.end({ calls: [], compressions: [], entries: 0, storePlace: "memory", folder: EMPTY });

    expect([during, ticking()]).toEqual([1, 0]);
  });
});

interface Opened {
  readonly reporter: Reporter;
  readonly terminal: VirtualTerminal;
  readonly tick: () => void;
  readonly ticking: () => number;
  readonly written: () => string;
}

function open(columns = 100, rows = 30): Opened {
  const terminal = virtualTerminal(columns, rows);
  const callbacks = new Set<() => void>();
  let written = "";
  const stream = {
    isTTY: true,
    get columns() {
      return terminal.columns ?? 0;
    },
    rows,
    write: (text: string) => {
      written += text;
      terminal.write(text);
    },
  };
  const output = createOutput(stream, { NO_COLOR: "1" });
  const reporter = liveReporter(stream, output, textReporter(output), (callback) => {
    callbacks.add(callback);
    return () => callbacks.delete(callback);
  });
  const tick = (): void => callbacks.forEach((callback) => callback());
  return { reporter, terminal, tick, ticking: () => callbacks.size, written: () => written };
}

interface Beginning {
  readonly turnId: string;
  readonly phaseId: string;
  readonly sources: EntrySources;
}

/** A turn with two phases; in the first, two workers have begun. */
function playBeginning(reporter: Reporter): Beginning {
  const sources = countingSources();
  const turn = { turnId: "t" };
  const under = { ...turn, phaseId: "find" };
  const content = "When is a tomato ripe?\nfind: Find it.\nread: Read it.";
  const given = task(
    { ...under, content: "Find it.", agent: MANAGER, from: ORCHESTRATOR },
    sources,
  );
  const work = { ...under, taskId: given.id, from: MANAGER };
  const first = task({ ...work, content: "Search code.", agent: FIRST }, sources);
  const second = task({ ...work, content: "Search notes.", agent: SECOND }, sources);
  const toolCalls = [{ id: "1", name: "search_text", arguments: '{"query":"tomato"}' }];
  const called = action({ ...under, taskId: first.id, agent: FIRST, toolCalls }, sources);
  reporter.entry(userMessage({ content: "When is a tomato ripe?", ...turn }, sources));
  reporter.entry(strategicPlan({ content, agent: ORCHESTRATOR, ...turn }, sources));
  for (const entry of [given, first, second, called]) reporter.entry(entry);
  return { ...under, sources };
}
