import { claudeCodeLog } from "@agent-history/testkit/transcripts";
import { describe, expect, it } from "vitest";

import { measureLines } from "../test-support/measure-lines.ts";
import { cacheReport } from "./cache-report.ts";
import { claudeCodeReader } from "./claude-code-reader.ts";
import {
  joinCacheReports,
  joinReplaySummaries,
  joinTokenReports,
  lostTotals,
} from "./join-reports.ts";
import { tokenReport } from "./token-report.ts";

function session(words: number) {
  const log = claudeCodeLog();
  log.request("word ".repeat(words));
  log.answer({ text: "Yes.", usage: { written: 30_000 } });
  log.request("Go on.");
  log.answer({ text: "Yes.", usage: { read: 5000, written: 26_000 } });
  return measureLines(claudeCodeReader(), log.take());
}

describe("joinCacheReports", () => {
  it("adds up what sessions report", () => {
    const one = cacheReport(session(10));
    const joined = joinCacheReports([one, one]);
    expect(joined).toMatchObject({ calls: 4, eligible: 2, readShare: one.readShare });
    expect(joined.breaks).toHaveLength(2);
    expect(joined.sentAgainTokens).toBe(2 * one.sentAgainTokens);
    expect(joinCacheReports([])).toMatchObject({ calls: 0, readShare: 0 });
  });
});

describe("joinReplaySummaries", () => {
  it("adds up what sessions sent and would have sent", () => {
    const tokens = { promptTokens: 100, cachedTokens: 60, cost: 0.5 };
    const one = {
      calls: 2,
      sent: tokens,
      replayed: { ...tokens, promptTokens: 80 },
      droppedEntries: 7,
      needed: 3,
      keptBySummaries: 1,
      keptByReplay: 2,
    };
    const other = { ...one, droppedEntries: 4 };
    expect(joinReplaySummaries([one, other])).toEqual({
      calls: 4,
      sent: { promptTokens: 200, cachedTokens: 120, cost: 1 },
      replayed: { promptTokens: 160, cachedTokens: 120, cost: 1 },
      droppedEntries: 7,
      needed: 6,
      keptBySummaries: 2,
      keptByReplay: 4,
    });
    expect(joinReplaySummaries([])).toMatchObject({ calls: 0, droppedEntries: 0 });
  });
});

describe("joinTokenReports", () => {
  it("joins groups of one name and keeps the order by what was sent", () => {
    const [small, large] = [tokenReport(session(10)), tokenReport(session(1000))];
    const joined = joinTokenReports([small, large], { heaviest: 3 });
    const tokensOf = (name: string, report = joined) =>
      report.byRole.find((group) => group.name === name)?.sentTokens ?? 0;
    expect(tokensOf("user")).toBe(tokensOf("user", small) + tokensOf("user", large));
    expect(joined.sentTokens).toBe(small.sentTokens + large.sentTokens);
    expect(joined.heaviest).toHaveLength(3);
    expect(joined.heaviest[0]).toBe(large.heaviest[0]);
    expect(joined.byTurn).toHaveLength(4);
    expect(joined.factor).toBe(1);
  });
});

describe("lostTotals", () => {
  it("counts what was needed and what of it was kept", () => {
    const compaction = { kind: "compaction", line: 1, how: "summary" } as const;
    const kept = { text: "a", isKept: true };
    const gone = { text: "b", isKept: false };
    const report = {
      compaction,
      summaryCharacters: 5,
      paths: [{ ...gone, isNameKept: true }],
      names: [kept, gone],
      numbers: [],
      errors: [gone],
      readBefore: 3,
      readAgain: ["a"],
    };
    expect(lostTotals([report, report])).toEqual({
      compactions: 2,
      rows: [
        { name: "paths, by path", needed: 2, kept: 0 },
        { name: "paths, by name", needed: 2, kept: 2 },
        { name: "names", needed: 4, kept: 2 },
        { name: "numbers", needed: 0, kept: 0 },
        { name: "errors", needed: 2, kept: 0 },
      ],
      readBefore: 6,
      readAgain: 2,
    });
  });
});
