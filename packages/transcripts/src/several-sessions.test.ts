import { describe, expect, it } from "vitest";

import { measureLines } from "../test-support/measure-lines.ts";
import { claudeCodeLog } from "../test-support/session-logs.ts";
import { cacheReport } from "./cache-report.ts";
import { claudeCodeReader } from "./claude-code-reader.ts";
import { lostRows } from "./lost-report.ts";
import { tokenReport } from "./token-report.ts";

function session(words: number) {
  const log = claudeCodeLog();
  log.request("word ".repeat(words));
  log.answer({ text: "Yes.", usage: { written: 30_000 } });
  log.request("Go on.");
  log.answer({ text: "Yes.", usage: { read: 5000, written: 26_000 } });
  return measureLines(claudeCodeReader(), log.take());
}

describe("reports of several sessions", () => {
  it("add up what the cache did", () => {
    const one = cacheReport([session(10)]);
    const joined = cacheReport([session(10), session(10)]);
    expect(joined).toMatchObject({ calls: 4, eligible: 2, readShare: one.readShare });
    expect(joined.breaks).toHaveLength(2);
    expect(joined.sentAgainTokens).toBe(2 * one.sentAgainTokens);
    expect(cacheReport([])).toMatchObject({ calls: 0, readShare: 0 });
  });

  it("join groups of one name, and tell turns of one name apart", () => {
    const sessions = [session(10), session(1000)];
    const [small, large] = sessions.map((one) => tokenReport([one]));
    const nameOf = (one: (typeof sessions)[number]) => `s${sessions.indexOf(one)}`;
    const joined = tokenReport(sessions, { heaviest: 3, nameOf });
    const tokensOf = (report = joined) =>
      report.byRole.find((group) => group.name === "user")?.sentTokens ?? 0;
    expect(tokensOf()).toBe(tokensOf(small) + tokensOf(large));
    expect(joined.sentTokens).toBe((small?.sentTokens ?? 0) + (large?.sentTokens ?? 0));
    expect(joined.heaviest).toHaveLength(3);
    expect(joined.heaviest[0]).toEqual({ ...large?.heaviest[0], session: "s1" });
    expect(joined.byTurn).toHaveLength(4);
    expect(joined.factor).toBe(1);
  });
});

describe("lostRows", () => {
  it("counts what was needed and what of it was kept", () => {
    const report = {
      compaction: { kind: "compaction", line: 1, how: "summary" },
      summaryCharacters: 5,
      facts: [
        { kind: "file paths", text: "b", isKept: false },
        { kind: "file names", text: "b", isKept: true },
        { kind: "identifiers", text: "a", isKept: true },
        { kind: "identifiers", text: "b", isKept: false },
      ],
      readBefore: 3,
      readAgain: ["a"],
    } as const;
    expect(lostRows([report, report])).toEqual([
      { name: "file paths", needed: 2, kept: 0 },
      { name: "file names", needed: 2, kept: 2 },
      { name: "identifiers", needed: 4, kept: 2 },
      { name: "numbers", needed: 0, kept: 0 },
      { name: "errors", needed: 0, kept: 0 },
    ]);
  });
});
