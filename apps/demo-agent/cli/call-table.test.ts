import { describe, expect, it } from "vitest";

import type { ModelCallRecord } from "../src/prompt/model-call-record.ts";
import { callTable } from "./call-table.ts";

describe("callTable", () => {
  it("has a row for each call with what was saved, and one for all", () => {
    const table = callTable([
      { ...record("u1", 1_000, 250), stableTokens: 100, steps: ["filter", "cap-results"] },
      { ...record("u2", 3_000, 0), steps: ["filter"] },
    ]);

    expect(table.split("\n").map((line) => line.trim().replaceAll(/ {2,}/g, " | "))).toEqual([
      "turn | role | agent | step | whole history | shown | saved | stable prefix | steps that acted",
      "1 | worker | reader-1 | react | 1,000 | 250 | 75% | 40% | filter, cap-results",
      "2 | worker | reader-1 | react | 3,000 | 0 | 100% | 0% | filter",
      "all 2 calls | 4,000 | 250 | 94% | 40% | filter 2, cap-results 1",
    ]);
  });

  it("has nothing to save of an empty history", () => {
    expect(callTable([record("u1", 0, 0)])).toMatch(/ 0 +0 +0% +0%$/);
  });
});

function record(turnId: string, threadTokens: number, shownTokens: number): ModelCallRecord {
  const agent = { id: "reader-1", role: "worker" } as const;
  const prompt = { context: {}, entryIds: [], messages: [], stableTokens: 0, steps: [] };
  const request = { requestTokens: shownTokens, windowTokens: 1_000 };
  return { turnId, agent, step: "react", ...prompt, threadTokens, shownTokens, ...request };
}
