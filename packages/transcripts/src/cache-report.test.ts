import { describe, expect, it } from "vitest";

import { measureLines } from "../test-support/measure-lines.ts";
import { claudeCodeLog } from "../test-support/session-logs.ts";
import type { ClaudeCodeLog, LoggedUsage } from "../test-support/session-logs.ts";
import { breakCost, cacheReport } from "./cache-report.ts";
import type { CacheReport } from "./cache-report.ts";
import { claudeCodeReader } from "./claude-code-reader.ts";

const MINUTE = 60_000;
const warm = { read: 0, written: 30_000 };
const lost = { read: 5000, written: 26_000 };

function report(write: (log: ClaudeCodeLog) => void): CacheReport {
  const log = claudeCodeLog();
  write(log);
  return cacheReport([measureLines(claudeCodeReader(), log.take())]);
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
    expect(cacheReport([measureLines(claudeCodeReader(), side.take())]).eligible).toBe(0);
  });

  it("counts what was sent again, and what it cost", () => {
    const { breaks, sentAgainTokens, readShare } = report((log) => {
      ask(log, warm);
      ask(log, { read: 5000, written: 40_000 });
    });
    expect(breaks[0]).toMatchObject({ sentAgainTokens: 25_000, cause: "messages", isLikely: true });
    expect(sentAgainTokens).toBe(25_000);
    expect(readShare).toBeCloseTo(5 / 75);
    // Sonnet: 3.75 for a million tokens written instead of 0.30 read.
    expect(breaks[0] && breakCost(breaks[0])).toBeCloseTo((25_000 * 3.45) / 1e6);
    expect(breaks[0] && breakCost(breaks[0], { asOf: "", models: {} })).toBeUndefined();
  });
});

describe("breakCauses", () => {
  const causeOf = (write: (log: ClaudeCodeLog) => void) => {
    const { breaks } = report(write);
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
    expect(pause(4, false)).toMatchObject({ cause: "messages", isLikely: true });
    expect(pause(6, false)).toMatchObject({ cause: "idle", isAvoidable: true });
    expect(pause(61, false)).toMatchObject({ cause: "idle", isAvoidable: false });
    expect(pause(6, true)).toMatchObject({ cause: "messages" });
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
    expect(rewind(1000)).toMatchObject({ cause: "messages", isLikely: true });
  });

  it("says that a call which read nothing is unknown, and that one without writes was evicted, or paused", () => {
    const unread = causeOf((log) => {
      ask(log, warm);
      ask(log, { read: 0, written: 31_000 });
    });
    expect(unread).toMatchObject({ cause: "unknown" });
    expect(unread).not.toHaveProperty("isLikely");
    // OpenAI reports no writes.
    const withoutWrites = (minutes: number) =>
      causeOf((log) => {
        ask(log, { input: 30_000 });
        log.wait(minutes * MINUTE);
        ask(log, { input: 26_000, read: 5000 });
      });
    expect(withoutWrites(1)).toMatchObject({ cause: "evicted", isLikely: true });
    expect(withoutWrites(6)).toMatchObject({ cause: "idle", isLikely: true });
    expect(withoutWrites(61)).toMatchObject({ cause: "idle" });
  });

  it("keeps the reason that the provider names", () => {
    const found = causeOf((log) => {
      ask(log, warm);
      log.line({
        type: "assistant",
        requestId: "r9",
        message: {
          id: "m9",
          role: "assistant",
          model: "claude-sonnet-4-5-20250929",
          content: "Yes.",
          usage: {
            input_tokens: 0,
            cache_read_input_tokens: 5000,
            cache_creation_input_tokens: 26_000,
          },
          diagnostics: { cache_miss_reason: { type: "tools_changed" } },
        },
      });
    });
    expect(found).toMatchObject({ cause: "reported", call: { providerReason: "tools_changed" } });
  });
});
