import { groupExchanges, isHistoryError, repairHistory, splitTurns } from "@agent-history/core";
import type {
  Exchange,
  HistoryEntry,
  Reduction,
  ReductionPlan,
  SingleEntry,
} from "@agent-history/core";
import {
  BREAKAGES,
  arbitraryBrokenHistory,
  arbitraryHistory,
  deepFreeze,
  lawRuns,
} from "@agent-history/testkit";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { expectLaws } from "../test-support/expect-laws.ts";
import { renderedCounter as counter } from "../test-support/rendered-counter.ts";
import { applyPlan } from "./apply-plan.ts";
import type { FitOptions } from "./fit-options.ts";
import { fitToWindow } from "./fit-to-window.ts";
import { STEP_NAMES } from "./reduction-step.ts";

const RUNS = { numRuns: lawRuns(800) };

/** Whatever can be repaired: two entries of one id are refused. */
const anyHistory = fc.oneof(
  { weight: 3, arbitrary: arbitraryHistory({ nestedCalls: true }) },
  {
    weight: 1,
    arbitrary: arbitraryBrokenHistory({
      breakages: BREAKAGES.filter((name) => name !== "doubled-id"),
    }),
  },
);
/** Ids are compared with what is looked at or kept, not with what is gone: no id appears twice here. */
const growingHistory = fc.oneof(
  { weight: 3, arbitrary: arbitraryHistory({ nestedCalls: true }) },
  {
    weight: 1,
    arbitrary: arbitraryBrokenHistory({
      breakages: BREAKAGES.filter((name) => name !== "doubled-entry" && name !== "doubled-id"),
    }),
  },
);
/** A budget from 1% to 150% of the history. */
const share = fc.integer({ min: 1, max: 150 });

describe("fitToWindow", () => {
  it("keeps every law on every history at every window (L1 to L6, L8, L9)", () => {
    fc.assert(
      fc.property(anyHistory, share, (entries, percent) => {
        const fitted = fit(deepFreeze(entries), percent);
        if (fitted !== undefined)
          expectLaws(entries, fitted, { window: windowOf(entries, percent), counter });
      }),
      RUNS,
    );
  });

  it("keeps every law with any step alone, and without any steps", () => {
    const alone = fc
      .constantFrom(...STEP_NAMES)
      .map((name) => STEP_NAMES.filter((other) => other !== name));
    const steps = fc.oneof(fc.subarray([...STEP_NAMES]), alone);
    fc.assert(
      fc.property(anyHistory, share, steps, (entries, percent, without) => {
        const fitted = fit(deepFreeze(entries), percent, { without });
        if (fitted !== undefined)
          expectLaws(entries, fitted, { window: windowOf(entries, percent), counter });
      }),
      RUNS,
    );
  });

  it("returns what is sound and fits by identity, and fits once (L5)", () => {
    fc.assert(
      fc.property(anyHistory, share, (entries, percent) => {
        const options = { maxResultShare: 1 };
        const { entries: repaired } = repairHistory(entries);
        const fitted = fit(repaired, percent, options);
        if (fitted === undefined) return;
        const contextTokens = windowOf(repaired, percent);
        if (totalOf(repaired) <= contextTokens) expect(fitted.entries).toBe(repaired);
        const window = { contextTokens };
        const again = fitToWindow(fitted.entries, { ...options, window, counter });
        expect(again.entries).toBe(fitted.entries);
      }),
      RUNS,
    );
  });

  it("refuses only where the turns of what must be kept do not fit (L4)", () => {
    fc.assert(
      fc.property(growingHistory, share, (entries, percent) => {
        const { entries: repaired } = repairHistory(entries);
        const window = windowOf(entries, percent);
        if (fit(entries, percent) === undefined) {
          expect(3 + tokensOf(turnsOfProtected(repaired))).toBeGreaterThan(window);
        } else expect(leastTokens(repaired)).toBeLessThanOrEqual(window);
      }),
      RUNS,
    );
  });

  it("goes on from a plan as if it had never stopped, and keeps every law (L13)", () => {
    fc.assert(
      fc.property(growingHistory, share, fc.nat(), (entries, percent, choice) => {
        const window = { contextTokens: windowOf(entries, percent) };
        const cut = entries.length === 0 ? 0 : choice % entries.length;
        let previousPlan: ReductionPlan | undefined;
        for (const end of [cut, Math.min(cut + 2, entries.length), entries.length]) {
          const sofar = entries.slice(0, end);
          const fitted = attempt(sofar, { window, counter, ...(previousPlan && { previousPlan }) });
          if (fitted === undefined) return;
          expectLaws(sofar, fitted, { window: window.contextTokens, counter });
          const stored: ReductionPlan = JSON.parse(JSON.stringify(fitted.plan));
          expect(applyPlan(sofar, stored)).toEqual(fitted.entries);
          previousPlan = stored;
        }
      }),
      RUNS,
    );
  });
});

function fit(
  entries: readonly HistoryEntry[],
  percent: number,
  options: Partial<FitOptions> = {},
): Reduction | undefined {
  return attempt(entries, {
    window: { contextTokens: windowOf(entries, percent) },
    counter,
    ...options,
  });
}

function attempt(entries: readonly HistoryEntry[], options: FitOptions): Reduction | undefined {
  try {
    return fitToWindow(entries, options);
  } catch (error) {
    if (isHistoryError(error, "WINDOW_TOO_SMALL")) return undefined;
    throw error;
  }
}

/** The least that must be kept: system messages, pins, the question, and running and pinned exchanges with their results cleared. */
function leastTokens(repaired: readonly HistoryEntry[]): number {
  const question =
    repaired.findLast(({ type }) => type === "user_message") ??
    repaired.findLast(({ type }) => type === "task");
  const kept = groupExchanges(repaired).flatMap((group) => {
    if (group.kind === "exchange" && group.running) {
      return group.entries.map(cleared);
    }
    const members = membersOf(group);
    const isKept = members.some((entry) => entry === question || isFixed(entry));
    return isKept ? members.map(cleared) : [];
  });
  return 3 + tokensOf(kept);
}

/** All of the turns in which something must be kept. */
function turnsOfProtected(repaired: readonly HistoryEntry[]): readonly HistoryEntry[] {
  const running = groupExchanges(repaired).flatMap((group) =>
    group.kind === "exchange" && group.running ? [group.action] : [],
  );
  const newest = repaired.at(-1);
  const turns = splitTurns(repaired);
  return turns.flatMap(({ entries }, nth) => {
    const isAll =
      nth === turns.length - 1 ||
      entries.some(
        (entry) =>
          entry === newest || entry.pinned === true || running.some((action) => action === entry),
      );
    return isAll ? entries : entries.filter(isFixed);
  });
}

/** What stays wherever it stands. */
function isFixed({ type, pinned, ...entry }: HistoryEntry): boolean {
  const isProviders = type === "summary" && !("view" in entry && entry.view !== undefined);
  return pinned === true || type === "system_message" || isProviders;
}

function membersOf(group: Exchange | SingleEntry): readonly HistoryEntry[] {
  return group.kind === "single" ? [group.entry] : group.entries;
}

/** The smallest form of a result, worked out without the reducer. */
function cleared(entry: HistoryEntry): HistoryEntry {
  if (entry.type !== "observation" || entry.pinned === true) return entry;
  const { sources, ...others } = entry;
  const { content } = entry;
  const parts = typeof content === "string" ? [] : content;
  const fixed = parts.filter(({ type }) => type === "reasoning" || type === "opaque");
  const given =
    typeof content === "string" ? content : parts.filter((part) => !fixed.includes(part));
  const length = typeof given === "string" ? given.length : JSON.stringify(given).length;
  const text = `[cleared: ${length} characters]`;
  const stub = fixed.length === 0 ? text : [{ type: "text" as const, text }, ...fixed];
  const isShorter = given.length > 0 && text.length < length;
  // Beside a content that is not cleared an empty list of sources stays.
  const rest = sources?.length === 0 && !isShorter ? { ...others, sources } : others;
  const small = { ...rest, content: isShorter ? stub : content };
  return tokensOf([small]) < tokensOf([entry]) ? small : entry;
}

function windowOf(entries: readonly HistoryEntry[], percent: number): number {
  return Math.max(1, Math.floor((totalOf(entries) * percent) / 100));
}

function totalOf(entries: readonly HistoryEntry[]): number {
  return 3 + tokensOf(entries);
}

function tokensOf(entries: readonly HistoryEntry[]): number {
  return entries.reduce((sum, entry) => sum + counter.countEntry(entry), 0);
}
