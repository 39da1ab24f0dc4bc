import type { HistoryEntry, Reduction, ReductionPlan } from "@agent-history/core";
import { describe, expect, it } from "vitest";

import { readItems } from "../test-support/read-lines.ts";
import { claudeCodeLog } from "../test-support/session-logs.ts";
import type { ClaudeCodeLog } from "../test-support/session-logs.ts";
import { claudeCodeReader } from "./claude-code-reader.ts";
import { entryText } from "./entry-text.ts";
import { replaySession, replaySummary } from "./replay-session.ts";

const countEntry = (entry: HistoryEntry): number => entryText(entry).length;
const tokensOf = (entries: readonly HistoryEntry[]): number =>
  entries.reduce((sum, entry) => sum + countEntry(entry), 0);

/** Keeps the newest entries. */
async function replay(write: (log: ClaudeCodeLog) => void, keep = Infinity) {
  const log = claudeCodeLog();
  write(log);
  const windows: number[] = [];
  const plans: (ReductionPlan | undefined)[] = [];
  const replayed = await replaySession(readItems(claudeCodeReader(), log.take()), {
    contextTokens: 1000,
    counter: { countEntry },
    fit: (entries, { window, previousPlan }): Reduction => {
      windows.push(window.contextTokens);
      plans.push(previousPlan);
      const kept = entries.slice(-keep);
      return { entries: kept, plan: { totalTokens: tokensOf(kept) } as ReductionPlan };
    },
    prefixTokens: (before, now) => tokensOf(now.filter((entry, index) => entry === before[index])),
  });
  return { ...replayed, windows, plans };
}

describe("replaySession", () => {
  it("fits what stood before each call, with the plan of the previous call", async () => {
    const { calls, overheadTokens, windows, plans } = await replay((log) => {
      log.request("x".repeat(10));
      log.answer({ text: "y".repeat(5), usage: { written: 110 } });
      log.request("z".repeat(20));
      log.answer({ text: "Done.", usage: { read: 110, written: 30 } });
    });
    expect(overheadTokens).toBe(100);
    expect(windows).toEqual([900, 900]);
    expect(calls).toMatchObject([
      { promptTokens: 110, cachedTokens: 0, droppedEntries: 0 },
      { promptTokens: 135, cachedTokens: 110, droppedEntries: 0 },
    ]);
    expect(plans).toMatchObject([undefined, { totalTokens: 10 }]);
  });

  it("leaves out what was rewound, and reads nothing from a cache that had expired", async () => {
    const { calls } = await replay((log) => {
      log.request("first");
      const kept = log.answer({ text: "second", usage: { written: 100 } });
      log.request("rewound");
      log.answer({ text: "rewound", usage: { read: 100 } });
      log.rewind(kept);
      log.wait(600_000);
      log.request("third");
      log.answer({ text: "fourth", usage: { written: 100 } });
    });
    expect(calls.map(({ call }) => call.line)).toEqual([2, 6]);
    expect(calls[1]).toMatchObject({ cachedTokens: 0, promptTokens: 95 + 16 });
  });

  it("tells whether what was needed after a compaction is in the prompt, beside the summary", async () => {
    const read = (id: string, name: string) => ({
      calls: [{ id, name: "Read", input: { file_path: `/work/shop/${name}` } }],
      usage: { written: 10 },
    });
    const session = (log: ClaudeCodeLog): void => {
      log.request("Look.");
      log.answer(read("c1", "a.ts"));
      log.result("c1", "text");
      log.answer(read("c2", "b.ts"));
      log.result("c2", "text");
      log.compaction("Saw b.ts.", 100);
      log.answer(read("c3", "a.ts"));
      log.result("c3", "text");
      log.answer(read("c4", "b.ts"));
      log.result("c4", "text");
    };
    const whole = await replay(session);
    expect(whole).toMatchObject({ needed: 2, keptBySummaries: 1, keptByReplay: 2 });
    // The summary is not ours to send.
    expect(whole.calls[2]?.droppedEntries).toBe(0);
    const short = await replay(session, 1);
    expect(short).toMatchObject({ needed: 2, keptByReplay: 0 });
    expect(replaySummary([short])).toMatchObject({ calls: 4, droppedEntries: 6 });
  });
});

describe("replaySummary", () => {
  it("prices the replayed prompts as the real calls wrote to the cache", async () => {
    const replayed = await replay((log) => {
      log.request("x".repeat(10));
      log.answer({ text: "Yes.", usage: { written: 1_000_000, oneHour: true, output: 1_000_000 } });
    });
    const { sent, replayed: ours } = replaySummary([replayed]);
    // Sonnet: 6 for a million tokens written for an hour, 15 for a million of output.
    expect(sent).toEqual({ promptTokens: 1_000_000, cachedTokens: 0, cost: 21 });
    expect(ours.cost).toBeCloseTo(21);
  });
});
