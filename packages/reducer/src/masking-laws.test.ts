import { groupExchanges, isHistoryError } from "@agent-history/core";
import type { HistoryEntry, Reduction, ReductionPlan } from "@agent-history/core";
import { arbitraryHistory, deepFreeze, lawRuns } from "@agent-history/testkit";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { arbitraryChange } from "../test-support/arbitrary-change.ts";
import { arbitraryLongHistory } from "../test-support/arbitrary-long-history.ts";
import { expectLaws } from "../test-support/expect-laws.ts";
import { renderedCounter as counter } from "../test-support/rendered-counter.ts";
import { applyPlan } from "./apply-plan.ts";
import type { FitOptions } from "./fit-options.ts";
import { fitToWindow } from "./fit-to-window.ts";
import { maskOldResults } from "./mask-old-results.ts";

const RUNS = { numRuns: lawRuns(40) };

/** Results long enough to be masked, but for some. */
const log = fc
  .tuple(
    fc.oneof(arbitraryHistory({ nestedCalls: true }), arbitraryLongHistory()),
    fc.array(fc.nat({ max: 900 }), { minLength: 1 }),
  )
  .map(([entries, lengths]) =>
    entries.map((entry, index) => lengthened(entry, lengths[index % lengths.length])),
  );

function lengthened(entry: HistoryEntry, length = 0): HistoryEntry {
  if (entry.type !== "observation" || typeof entry.content !== "string") return entry;
  return { ...entry, content: entry.content + "word ".repeat(length / 5) };
}

const percent = fc.integer({ min: 15, max: 110 });
const masking = fc.record({ keep: fc.nat({ max: 3 }), maskArguments: fc.boolean() });

describe("maskingSteps", () => {
  it("keep every law on every history at every window, and what is masked stays masked by the stored plan (L1 to L5, L9, L15 to L17)", () => {
    fc.assert(
      fc.property(log, percent, masking, fc.nat(), (given, share, options, choice) => {
        const entries = deepFreeze(given);
        const contextTokens = windowOf(entries, share);
        const base = { window: { contextTokens }, counter, steps: [maskOldResults(options)] };
        const end = entries.length === 0 ? 0 : choice % entries.length;
        let previousPlan: ReductionPlan | undefined;
        for (const now of [entries.slice(0, end), entries]) {
          const fitted = attempt(now, { ...base, ...(previousPlan && { previousPlan }) });
          if (fitted === undefined) return;
          expectLaws(now, fitted, { window: contextTokens, counter });
          const stored: ReductionPlan = JSON.parse(JSON.stringify(fitted.plan));
          expect(applyPlan(now, stored)).toEqual(fitted.entries);
          if (
            totalOf(now) <= contextTokens &&
            previousPlan === undefined &&
            fitted.plan.repairs.length === 0
          )
            expect(fitted.entries.filter((entry) => !now.includes(entry))).toEqual(
              fitted.entries.filter(({ id }) => cappedIds(fitted.plan).has(id)),
            );
          previousPlan = stored;
        }
      }),
      RUNS,
    );
  });

  it("notice a change of what was sent, warm and cold alike (L17)", () => {
    fc.assert(
      fc.property(log, percent, masking, arbitraryChange(), (entries, share, options, change) => {
        const contextTokens = windowOf(entries, share);
        const base = { window: { contextTokens }, counter, steps: [maskOldResults(options)] };
        const first = attempt(entries, base);
        if (first === undefined) return;
        const now = change(entries);
        const warm = attempt(now, { ...base, previousPlan: first.plan });
        const previousPlan: ReductionPlan = JSON.parse(JSON.stringify(first.plan));
        expect(attempt(structuredClone(now), { ...base, previousPlan })).toEqual(warm);
        if (warm !== undefined) expectLaws(now, warm, { window: contextTokens, counter });
      }),
      RUNS,
    );
  });

  it("touch none of the last exchanges of the newest turn as long as these, the instructions, pins, running exchanges and the turn's messages fit", () => {
    fc.assert(
      fc.property(log, percent, fc.nat({ max: 6 }), (entries, share, keep) => {
        const contextTokens = windowOf(entries, share);
        const steps = [maskOldResults({ keep })];
        const options = { counter, steps, maxResultShare: 1, firstRequestShare: 0 };
        let previousPlan: ReductionPlan | undefined;
        for (const now of [entries.slice(0, -3), entries]) {
          const newest = now.at(-1)?.turnId;
          const isOfOne = lastExchanges(now, keep).every(({ turnId }) => turnId === newest);
          if (!isOfOne || totalOf(leastOf(now, keep)) > contextTokens) return;
          const plan = previousPlan && { previousPlan };
          const fitted = attempt(now, { window: { contextTokens }, ...options, ...plan });
          if (fitted === undefined || fitted.plan.repairs.length > 0) return;
          const shown = new Set(fitted.entries);
          expect(lastExchanges(now, keep).filter((entry) => !shown.has(entry))).toEqual([]);
          previousPlan = fitted.plan;
        }
      }),
      RUNS,
    );
  });
});

/** The last exchanges with what stands among them, and what stays whatever goes. */
function leastOf(entries: readonly HistoryEntry[], keep: number): readonly HistoryEntry[] {
  const last = lastExchanges(entries, keep);
  const turns = new Set([entries.at(-1)?.turnId, ...last.map(({ turnId }) => turnId)]);
  const isLeft = (entry: HistoryEntry): boolean =>
    entry.type !== "action" && entry.type !== "observation" && turns.has(entry.turnId);
  const fixed = groupExchanges(entries).flatMap((group): readonly HistoryEntry[] => {
    const members: readonly HistoryEntry[] =
      group.kind === "exchange" ? group.entries : [group.entry];
    const isRunning = group.kind === "exchange" && group.running;
    return isRunning || members.some((entry) => entry.pinned === true) ? members : [];
  });
  const kept = new Set<HistoryEntry>([...last, ...fixed]);
  return entries.filter(
    (entry) => kept.has(entry) || isLeft(entry) || entry.type === "system_message" || isLate(entry),
  );
}

/** Stays whatever goes: what providers and uploads made. */
function isLate({ type }: HistoryEntry): boolean {
  return type === "summary" || type === "attachment" || type === "memory";
}

describe("maskOldResults", () => {
  it("alone keeps every law, and each line says how long the result was and by which id it is read", () => {
    fc.assert(
      fc.property(log, percent, masking, (entries, share, options) => {
        const contextTokens = windowOf(entries, share);
        const steps = [maskOldResults(options), ...[maskOldResults(options)].slice(-12)];
        const fitted = attempt(deepFreeze(entries), { window: { contextTokens }, counter, steps });
        if (fitted === undefined) return;
        expectLaws(entries, fitted, { window: contextTokens, counter });
        const recent = new Set(lastExchanges(entries, options.keep).map(({ id }) => id));
        for (const entry of fitted.entries) {
          if (entry.type !== "observation" || typeof entry.content !== "string") continue;
          if (!entry.content.startsWith("[masked: ")) continue;
          expect(recent.has(entry.id)).toBe(false);
          const id = entry.origin?.derivedId === true ? entry.callId : entry.id;
          expect(entry.content).toMatch(/ \d+ characters; history_read \{"id":/u);
          expect(entry.content).toContain(JSON.stringify({ id }));
        }
      }),
      RUNS,
    );
  });
});

function lastExchanges(entries: readonly HistoryEntry[], keep: number): readonly HistoryEntry[] {
  const exchanges = groupExchanges(entries).filter(({ kind }) => kind === "exchange");
  return exchanges
    .slice(Math.max(0, exchanges.length - keep))
    .flatMap((group) => (group.kind === "exchange" ? group.entries : []));
}

function cappedIds({ decisions }: ReductionPlan): ReadonlySet<string> {
  return new Set(decisions.filter(({ step }) => step === "cap-results").map(({ from }) => from));
}

function windowOf(entries: readonly HistoryEntry[], share: number): number {
  return Math.ceil((totalOf(entries) * share) / 100);
}

function totalOf(entries: readonly HistoryEntry[]): number {
  return entries.reduce((sum, entry) => sum + counter.countEntry(entry), 3);
}

function attempt(entries: readonly HistoryEntry[], options: FitOptions): Reduction | undefined {
  try {
    return fitToWindow(entries, options);
  } catch (error) {
    if (isHistoryError(error, "WINDOW_TOO_SMALL")) return undefined;
    throw error;
  }
}
