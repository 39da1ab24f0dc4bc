import type { HistoryEntry, Reduction, ReductionPlan } from "@agent-history/core";
import { claudeCodeReader, entryText } from "@agent-history/transcripts";
import { describe, expect, it } from "vitest";

import { readItems } from "../../../../transcripts/test-support/read-lines.ts";
import { claudeCodeLog } from "../../../../transcripts/test-support/session-logs.ts";
import type { ClaudeCodeLog } from "../../../../transcripts/test-support/session-logs.ts";
import { replaySession } from "./replay-sessions.ts";

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
    reducer: {
      reduce: (entries, { window, previousPlan }): Reduction => {
        windows.push(window.contextTokens ?? Infinity);
        plans.push(previousPlan);
        const kept = entries.slice(-keep);
        return { entries: kept, plan: { totalTokens: tokensOf(kept) } as ReductionPlan };
      },
    },
  });
  return { ...replayed, windows, plans };
}

describe("replaySession", () => {
  it("fits what stood before each call, with the plan of the previous call", async () => {
    const { replayed, windows, plans } = await replay((log) => {
      log.request("x".repeat(10));
      log.answer({ text: "y".repeat(5), usage: { written: 110 } });
      log.request("z".repeat(20));
      log.answer({ text: "Done.", usage: { read: 110, written: 30 } });
    });
    expect(windows).toEqual([900, 900]);
    expect(replayed).toMatchObject([
      { usage: { cacheWriteTokens: 110, cacheReadTokens: 0 } },
      { usage: { cacheWriteTokens: 25, cacheReadTokens: 110 } },
    ]);
    expect(plans).toMatchObject([undefined, { totalTokens: 10 }]);
  });

  it("leaves out what was rewound, and reads nothing from a cache that had expired", async () => {
    const { replayed } = await replay((log) => {
      log.request("first");
      const kept = log.answer({ text: "second", usage: { written: 100 } });
      log.request("rewound");
      log.answer({ text: "rewound", usage: { read: 100 } });
      log.rewind(kept);
      log.wait(600_000);
      log.request("third");
      log.answer({ text: "fourth", usage: { written: 100 } });
    });
    expect(replayed.map(({ line }) => line)).toEqual([2, 6]);
    expect(replayed[1]).toMatchObject({
      usage: { cacheReadTokens: 0, cacheWriteTokens: 95 + 16 },
    });
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
    const short = await replay(session, 1);
    expect(short).toMatchObject({ needed: 2, keptByReplay: 0 });
    expect(short.sent).toHaveLength(4);
  });

  it("writes to the cache what the real calls wrote, and for as long", async () => {
    const { sent, replayed } = await replay((log) => {
      log.request("x".repeat(10));
      log.answer({ text: "Yes.", usage: { written: 1_000_000, oneHour: true, output: 1_000_000 } });
    });
    expect(replayed.map(({ usage }) => usage)).toEqual(sent.map(({ usage }) => usage));
    expect(replayed[0]?.usage).toMatchObject({ cacheWrite1hTokens: 1_000_000 });
  });
});
