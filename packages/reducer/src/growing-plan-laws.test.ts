import { isHistoryError } from "@agent-history/core";
import type { HistoryEntry, Reduction, ReductionPlan } from "@agent-history/core";
import { lawRuns } from "@agent-history/testkit";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import {
  arbitraryBrokenLongHistory,
  arbitraryLongHistory,
} from "../test-support/arbitrary-long-history.ts";
import { counter } from "../test-support/character-counter.ts";
import { applyPlan } from "./apply-plan.ts";
import { fitToWindow } from "./fit-to-window.ts";

const history = fc.oneof(arbitraryLongHistory(), arbitraryBrokenLongHistory({ withCopies: true }));
/** By how much the history grows, which of the earlier plans is continued, and which entry is another object by then. */
const growth = fc.array(
  fc.record({ by: fc.nat({ max: 5 }), back: fc.constantFrom(1, 1, 1, 2, 3), copied: fc.nat() }),
  { minLength: 2, maxLength: 12 },
);

describe("fitToWindow with a growing history", () => {
  it("gives with what it remembers of plans what it gives without, whichever plan is continued (L17)", () => {
    fc.assert(
      fc.property(history, fc.integer({ min: 30, max: 800 }), growth, (entries, size, steps) => {
        const plans: (ReductionPlan | undefined)[] = [];
        let shown = Math.floor(entries.length / 2);
        for (const { by, back, copied } of steps) {
          shown = Math.min(entries.length, shown + by);
          const given = withCopy(entries.slice(0, shown), copied);
          const plan = plans.at(-back);
          const warm = attempt(given, size, plan);
          const cold = attempt(structuredClone(given), size, plan && stored(plan));
          expect(warm).toEqual(cold);
          if (warm !== undefined) expect(applyPlan(given, warm.plan)).toEqual(warm.entries);
          plans.push(warm?.plan);
        }
      }),
      { numRuns: lawRuns(300) },
    );
  });

  it("gives each call an array of its own", () => {
    const entries = turns(30);
    const first = fit(entries.slice(0, 50), 100, undefined);
    const second = fit(entries.slice(0, 52), 100, first.plan);
    const sent = [...second.entries];
    const again = fit(entries.slice(0, 52), 100, second.plan);
    // Somebody changes what is theirs.
    if (Array.isArray(again.entries)) again.entries.length = 0;

    expect(fit(entries.slice(0, 52), 100, second.plan).entries).toEqual(sent);
    expect(second.entries).toEqual(sent);
  });
});

/** Turns of twenty tokens. */
function turns(count: number): readonly HistoryEntry[] {
  return Array.from({ length: count }, (_, nth): HistoryEntry => {
    const text = { id: `m${nth}`, createdAtMs: 0, content: "x".repeat(10) };
    return { ...text, type: nth % 2 === 0 ? "user_message" : "assistant_message" };
  });
}

/** The same history, one entry of which was read again. */
function withCopy(entries: readonly HistoryEntry[], copied: number): readonly HistoryEntry[] {
  const entry = entries[copied % (entries.length * 4 + 1)];
  return entries.map((one) => (one === entry ? structuredClone(one) : one));
}

function fit(
  entries: readonly HistoryEntry[],
  contextTokens: number,
  previousPlan: ReductionPlan | undefined,
): Reduction {
  return fitToWindow(entries, {
    window: { contextTokens },
    counter,
    ...(previousPlan && { previousPlan }),
  });
}

function attempt(...call: Parameters<typeof fit>): Reduction | undefined {
  try {
    return fit(...call);
  } catch (error) {
    if (isHistoryError(error, "WINDOW_TOO_SMALL") || isHistoryError(error, "DUPLICATE_ID"))
      return undefined;
    throw error;
  }
}

function stored(plan: ReductionPlan): ReductionPlan {
  return JSON.parse(JSON.stringify(plan));
}
