import { describe, expect, it } from "vitest";

import type { ModelCallRecord } from "../src/prompt/model-call-record.ts";
import { callTable } from "./call-table.ts";

const RECORDS: readonly ModelCallRecord[] = [
  { ...record("u1", 1_000, 250), stableTokens: 100, steps: ["filter", "cap-results"] },
  { ...record("u1", 1_000, 250), steps: ["filter"] },
  { ...record("u2", 3_000, 0), steps: ["filter"] },
];

describe("callTable", () => {
  it("has a row for each role and turn with what was saved, and one for all", () => {
    expect(cells(callTable(RECORDS))).toEqual([
      "turn | role | calls | history | shown | saved | cached | steps that acted",
      "1 | worker | 2 | 2,000 | 500 | 75% | 20% | filter, cap-results",
      "2 | worker | 1 | 3,000 | 0 | 100% | 0% | filter",
      "all 3 calls | 5,000 | 500 | 90% | 20% | filter 3, cap-results 1",
    ]);
  });

  it("has a row for every call where that is asked", () => {
    expect(cells(callTable(RECORDS, { everyCall: true }))).toEqual([
      "turn | agent | step | history | shown | saved | cached | steps that acted",
      "1 | reader-1 | react | 1,000 | 250 | 75% | 40% | filter, cap-results",
      "1 | reader-1 | react | 1,000 | 250 | 75% | 0% | filter",
      "2 | reader-1 | react | 3,000 | 0 | 100% | 0% | filter",
      "all 3 calls | 5,000 | 500 | 90% | 20% | filter 3, cap-results 1",
    ]);
  });

  it("keeps to a width, and cuts the names of steps between words", () => {
    const steps = ["filter", "summary", "clean", "shrink-running-results", "drop-old-messages"];
    const table = callTable([{ ...record("u1", 9_999_999, 999_999), steps }], { width: 80 });
    const [, row = ""] = table.split("\n");

    expect(table.split("\n").every((line) => line.length <= 80)).toBe(true);
    expect(row).toMatch(/ filter, summary, …$/);
  });

  it("speaks of one call as one, and has nothing to save of an empty history", () => {
    expect(callTable([record("u1", 0, 0)])).toMatch(/ all 1 call +0 +0 +0% +0%$/);
  });
});

function cells(table: string): readonly string[] {
  return table.split("\n").map((line) => line.trim().replaceAll(/ {2,}/g, " | "));
}

function record(turnId: string, threadTokens: number, shownTokens: number): ModelCallRecord {
  const agent = { id: "reader-1", role: "worker" } as const;
  const prompt = { context: {}, entryIds: [], messages: [], stableTokens: 0, steps: [] };
  const request = { requestTokens: shownTokens, windowTokens: 1_000 };
  return { turnId, agent, step: "react", ...prompt, threadTokens, shownTokens, ...request };
}
