import { isHistoryError } from "@agent-history/core";
import type { HistoryEntry, Reduction, ReductionPlan } from "@agent-history/core";
import { lawRuns } from "@agent-history/testkit";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { arbitraryChange } from "../test-support/arbitrary-change.ts";
import { arbitraryLongHistory } from "../test-support/arbitrary-long-history.ts";
import { counter } from "../test-support/character-counter.ts";
import { expectLaws } from "../test-support/expect-laws.ts";
import { repairAsPlanned } from "./engine/write.ts";
import type { FitOptions } from "./fit-options.ts";
import { fitToWindow } from "./fit-to-window.ts";

const RUNS = { numRuns: lawRuns(200) };
const window = fc.integer({ min: 30, max: 600 });
const changes = fc.array(arbitraryChange(), { minLength: 1, maxLength: 4 });

describe("fitToWindow with a previous plan", () => {
  it("keeps every law whatever was changed between two calls, warm and cold alike (L17)", () => {
    fc.assert(
      fc.property(arbitraryLongHistory(), window, changes, (entries, contextTokens, all) => {
        const options = { window: { contextTokens }, counter };
        let now = entries;
        let plan = attempt(now, options)?.plan;
        for (const change of all) {
          now = change(now);
          const warm = attempt(now, { ...options, ...(plan && { previousPlan: plan }) });
          const previousPlan = plan && stored(plan);
          const cold = attempt(structuredClone(now), {
            ...options,
            ...(previousPlan && { previousPlan }),
          });
          expect(cold).toEqual(warm);
          if (warm !== undefined) expectLaws(now, warm, { window: contextTokens, counter });
          plan = warm?.plan ?? plan;
          expectPlacesWithin(warm?.plan);
        }
      }),
      RUNS,
    );
  });

  it("keeps what was sent before the turn of a change, where nothing had to be cut", () => {
    fc.assert(
      fc.property(
        arbitraryLongHistory(),
        window,
        arbitraryChange(),
        (entries, contextTokens, change) => {
          const options = { window: { contextTokens }, counter };
          const first = attempt(entries, options);
          const after = change(entries);
          if (first === undefined) return;
          const second = attempt(after, { ...options, previousPlan: first.plan });
          if (second === undefined || second.plan.continued?.stoppedBy === "cut") return;
          const { entryCount = 0 } = second.plan.continued ?? {};
          // So many are the same in both: what was sent of them comes first again.
          const { entries: repaired } = repairAsPlanned(after, second.plan);
          const indexes = new Map(
            repaired.slice(0, entryCount).map(({ id }, index) => [id, index]),
          );
          let last = -1;
          // What was moved is as good as gone.
          const moved = first.entries.findIndex(({ id }) => {
            const index = indexes.get(id) ?? -1;
            const isMoved = index <= last;
            last = index;
            return isMoved;
          });
          const prefix = first.entries.slice(0, moved < 0 ? undefined : moved);
          expect(second.entries.slice(0, prefix.length)).toEqual(prefix);
        },
      ),
      RUNS,
    );
  });

  it("goes on from a damaged plan as from none", () => {
    const damage = fc.constantFrom<(plan: ReductionPlan) => ReductionPlan>(
      (plan) => ({ ...plan, totalTokens: plan.totalTokens - 1 }),
      (plan) => ({ ...plan, settledUntil: plan.settledUntil + 1 }),
      (plan) => ({ ...plan, repairedFrom: plan.repairedFrom + 1 }),
      (plan) => ({ ...plan, decisions: plan.decisions.slice(1) }),
      (plan) => ({ ...plan, window: {} }),
      (plan) => ({ ...plan, checksum: "" }),
    );
    fc.assert(
      fc.property(arbitraryLongHistory(), window, damage, (entries, contextTokens, damaged) => {
        const options = { window: { contextTokens }, counter };
        const first = attempt(entries, options);
        if (first === undefined || entries.length === 0) return;
        const second = attempt(entries, { ...options, previousPlan: damaged(first.plan) });
        expect(second?.entries).toEqual(first.entries);
        expect(second?.plan.continued).toEqual({ entryCount: 0, stoppedBy: "damaged" });
      }),
      RUNS,
    );
  });
});

/** A place that a plan names lies in what it is about: what was dropped before it may have gone. */
function expectPlacesWithin(plan: ReductionPlan | undefined): void {
  if (plan === undefined) return;
  const entryCount = plan.decisions.reduce((sum, run) => sum + run.entryCount, 0);
  expect(plan.settledUntil).toBeLessThanOrEqual(entryCount);
  expect(plan.repairedFrom).toBeLessThanOrEqual(entryCount);
}

function stored(plan: ReductionPlan): ReductionPlan {
  const read: ReductionPlan = JSON.parse(JSON.stringify(plan));
  return read;
}

function attempt(entries: readonly HistoryEntry[], options: FitOptions): Reduction | undefined {
  try {
    return fitToWindow(entries, { ...options, recheck: true });
  } catch (error) {
    if (isHistoryError(error, "WINDOW_TOO_SMALL") || isHistoryError(error, "DUPLICATE_ID")) {
      return undefined;
    }
    throw error;
  }
}
