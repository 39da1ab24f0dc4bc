import { claudeCodeLog } from "@agent-history/testkit/transcripts";
import type { ClaudeCodeLog, LoggedUsage } from "@agent-history/testkit/transcripts";
import { describe, expect, it } from "vitest";

import { measureLines } from "../test-support/measure-lines.ts";
import { breakCost, cacheReport } from "./cache-report.ts";
import type { CacheReport } from "./cache-report.ts";
import { claudeCodeReader } from "./claude-code-reader.ts";

const MINUTE = 60_000;
const warm = { read: 0, written: 30_000 };
const lost = { read: 5000, written: 26_000 };

function report(write: (log: ClaudeCodeLog) => void): CacheReport {
  const log = claudeCodeLog();
  write(log);
  return cacheReport(measureLines(claudeCodeReader(), log.take()));
}

function ask(log: ClaudeCodeLog, usage: LoggedUsage, model?: string): string {
  log.request("Go on.");
  return log.answer({ text: "Yes.", usage, ...(model !== undefined && { model }) });
}

describe("cacheReport", () => {
  it.each<[string, LoggedUsage, LoggedUsage, { eligible: number; breaks: number }]>([
    ["reads all", warm, { read: 30_000, written: 100 }, { eligible: 1, breaks: 0 }],
    ["reads 0.7", warm, { read: 21_000, written: 9000 }, { eligible: 1, breaks: 0 }],
    ["reads less", warm, { read: 20_999, written: 9000 }, { eligible: 1, breaks: 1 }],
    ["is shorter than 0.7", warm, { read: 0, written: 20_999 }, { eligible: 0, breaks: 0 }],
    ["follows 20,000", { written: 20_000 }, lost, { eligible: 0, breaks: 0 }],
    ["follows 20,001", { written: 20_001 }, lost, { eligible: 1, breaks: 1 }],
  ])("judges a call that %s by the definition", (_, first, second, expected) => {
    const { eligible, breaks } = report((log) => {
      ask(log, first);
      ask(log, second);
    });
    expect({ eligible, breaks: breaks.length }).toEqual(expected);
  });

  it("finds no break behind a compaction, in a side chain, or at an answer of Claude Code itself", () => {
    const compacted = report((log) => {
      ask(log, warm);
      log.compaction("All done.", 30_000);
      ask(log, lost);
    });
    expect(compacted).toMatchObject({ eligible: 0, calls: 2 });

    const own = report((log) => {
      ask(log, warm);
      ask(log, {}, "<synthetic>");
      ask(log, { read: 30_000 });
    });
    expect(own).toMatchObject({ eligible: 1, breaks: [], calls: 2 });

    const side = claudeCodeLog({ agentId: "a1" });
    ask(side, warm);
    ask(side, lost);
    expect(cacheReport(measureLines(claudeCodeReader(), side.take())).eligible).toBe(0);
  });

  it("counts what was written again, and what it cost", () => {
    const { breaks, rewrittenTokens, readShare } = report((log) => {
      ask(log, warm);
      ask(log, { read: 5000, written: 40_000 });
    });
    expect(breaks[0]).toMatchObject({ lostTokens: 25_000, cause: "unknown" });
    expect(rewrittenTokens).toBe(25_000);
    expect(readShare).toBeCloseTo(5 / 75);
    // Sonnet: 3.75 for a million tokens written instead of 0.30 read.
    expect(breaks[0] && breakCost(breaks[0])).toBeCloseTo((25_000 * 3.45) / 1e6);
    expect(breaks[0] && breakCost(breaks[0], { asOf: "", models: {} })).toBeUndefined();
  });
});

describe("breakCauses", () => {
  const causeOf = (write: (log: ClaudeCodeLog) => void) => {
    const { breaks, falseCauses } = report(write);
    expect(falseCauses).toBe(0);
    expect(breaks).toHaveLength(1);
    return breaks[0];
  };

  it("blames idle time longer than the lifetime of the last write", () => {
    const pause = (minutes: number, oneHour: boolean) =>
      causeOf((log) => {
        ask(log, { ...warm, oneHour });
        log.wait(minutes * MINUTE);
        ask(log, lost);
      });
    expect(pause(4, false)).toMatchObject({ cause: "unknown" });
    expect(pause(6, false)).toMatchObject({ cause: "idle", isAvoidable: true });
    expect(pause(61, false)).toMatchObject({ cause: "idle", isAvoidable: false });
    expect(pause(6, true)).toMatchObject({ cause: "unknown" });
    expect(pause(61, true)).toMatchObject({ cause: "idle", isAvoidable: false });
  });

  it("blames another model", () => {
    const found = causeOf((log) => {
      ask(log, warm);
      ask(log, lost, "claude-opus-4-6");
    });
    expect(found).toMatchObject({ cause: "model", isAvoidable: true });
  });

  it("blames cleared results, and names the line of the first", () => {
    const found = causeOf((log) => {
      log.request("Look.");
      log.answer({ calls: [{ id: "c1", name: "Read", input: {} }], usage: warm });
      log.result("c1", "text");
      ask(log, { read: 30_000, written: 100 });
      log.clearing(["c1"]);
      ask(log, lost);
    });
    expect(found).toMatchObject({ cause: "cleared", firstChangedLine: 3, isAvoidable: false });
  });

  it("blames a rewind of much of the history, and no other", () => {
    const rewind = (words: number) =>
      causeOf((log) => {
        log.request("word ".repeat(words));
        const kept = log.answer({ text: "Yes.", usage: warm });
        log.request("word ".repeat(100));
        log.answer({ text: "No.", usage: { read: 30_000 } });
        log.rewind(kept);
        log.request("Go on.");
        log.answer({ text: "Yes.", usage: lost });
      });
    expect(rewind(10)).toMatchObject({ cause: "rewound", firstChangedLine: 5 });
    expect(rewind(1000)).toMatchObject({ cause: "unknown" });
  });

  it("reads nothing of a call's usage but how long it is kept", () => {
    const { falseCauses, breaks } = report((log) => {
      ask(log, warm);
      log.wait(6 * MINUTE);
      ask(log, { read: 30_000, written: 100 });
    });
    expect({ falseCauses, breaks }).toEqual({ falseCauses: 1, breaks: [] });
  });
});
