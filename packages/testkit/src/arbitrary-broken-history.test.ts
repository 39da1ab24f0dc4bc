import { isHistoryError } from "@agent-history/core";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { arbitraryBrokenHistory, BREAKAGES } from "./arbitrary-broken-history.ts";
import type { BrokenHistory, BrokenHistoryConstraints } from "./arbitrary-broken-history.ts";

describe("arbitraryBrokenHistory", () => {
  it("gives every breakage, alone and with others", () => {
    const broken = fc.sample(arbitraryBrokenHistory(), { numRuns: 600, seed: 1 });
    const alone = broken.filter(({ breakages }) => breakages.length === 1);
    const joined = broken.filter(({ breakages }) => breakages.length > 1);

    expect(new Set(alone.flatMap(({ breakages }) => breakages))).toEqual(new Set(BREAKAGES));
    expect(new Set(joined.flatMap(({ breakages }) => breakages))).toEqual(new Set(BREAKAGES));
  });

  it("applies only what it may, at least once and at most so often", () => {
    const may = ["doubled-id", "orphan-result"] as const;

    for (const { breakages } of sample({ breakages: may, maxBreakages: 2 })) {
      expect(breakages.filter((name) => !may.some((allowed) => allowed === name))).toEqual([]);
      expect([1, 2]).toContain(breakages.length);
    }
  });

  it.each([9, 20, 40])("keeps to %d entries", (maxEntries) => {
    for (const { entries } of sample({ maxEntries, maxBreakages: 1 })) {
      expect(entries.length).toBeLessThanOrEqual(maxEntries);
    }
  });

  it("breaks histories of every kind", () => {
    for (const constraints of [{ flat: true }, { withAgents: "none" }, { turns: 0 }] as const) {
      expect(sample(constraints).filter(({ breakages }) => breakages.length === 0)).toEqual([]);
    }
  });

  it("keeps the entries that it does not break", () => {
    const constraints = { maxEntries: 30, maxBreakages: 1, breakages: ["lost-result"] } as const;

    for (const { entries } of sample(constraints)) {
      expect(new Set(entries).size).toBe(entries.length);
      expect(new Set(entries.map(({ id }) => id)).size).toBe(entries.length);
    }
  });

  it.each(BREAKAGES)("shrinks to %s and little else", (breakage) => {
    const nothing = fc.property<[BrokenHistory]>(
      arbitraryBrokenHistory({ breakages: [breakage] }),
      () => false,
    );
    const smallest = fc.check(nothing, { seed: 1 }).counterexample?.[0];

    expect(smallest?.entries.length).toBeLessThanOrEqual(9);
  });

  it.each([
    { breakages: [] },
    { maxBreakages: 0 },
    { maxBreakages: -1 },
    { maxBreakages: Infinity },
    { maxEntries: 10 },
    { maxEntries: 12, turns: 2 },
  ])("refuses %j", (constraints) => {
    let error: unknown;
    try {
      arbitraryBrokenHistory(constraints);
    } catch (thrown) {
      error = thrown;
    }
    expect(isHistoryError(error, "INVALID_OPTION")).toBe(true);
  });
});

function sample(constraints: BrokenHistoryConstraints) {
  return fc.sample(arbitraryBrokenHistory(constraints), { numRuns: 200, seed: 1 });
}
