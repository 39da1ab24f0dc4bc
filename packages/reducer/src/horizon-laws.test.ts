import {
  CONVERSATION_TYPES,
  assistantMessage,
  isHistoryError,
  repairHistory,
  userMessage,
} from "@agent-history/core";
import type { HistoryEntry, Reduction, ReductionPlan } from "@agent-history/core";
import { arbitraryHistory, lawRuns } from "@agent-history/testkit";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import {
  arbitraryBrokenLongHistory,
  arbitraryLongHistory,
} from "../test-support/arbitrary-long-history.ts";
import { counter } from "../test-support/character-counter.ts";
import { expectLaws } from "../test-support/expect-laws.ts";
import { watchedHistory } from "../test-support/watched-history.ts";
import { applyPlan } from "./apply-plan.ts";
import { runAtOnce } from "./engine/context.ts";
import { planFit } from "./engine/fit.ts";
import { fitToWindow } from "./fit-to-window.ts";
import { STEP_NAMES } from "./reduction-step.ts";

const RUNS = { numRuns: lawRuns(400) };
/** So many windows reach to the beginning of every history here. */
const ALL = 1e9;
/** Thirty entries of ten tokens. */
const window = { contextTokens: 300 };

/** Without uploads, which have a share of their own wherever they stand. */
const soundHistory = fc.oneof(
  { weight: 3, arbitrary: arbitraryLongHistory() },
  {
    weight: 1,
    arbitrary: arbitraryHistory()
      .map((entries) => repairHistory(entries).entries)
      .map((entries) => entries.filter(({ type }) => type !== "attachment")),
  },
);

describe("fitToWindow", () => {
  // Known to be broken in about one of a hundred histories.
  it("keeps what a fit that looks at everything keeps, of what it looks at", () => {
    // Only what drops: an edit is made as long as there is excess, and beyond the horizon there is more of it.
    const without = STEP_NAMES.filter((name) => !name.startsWith("drop-"));
    // What stands between a request and its answer goes before older requests, of which there are more beyond the horizon.
    const types = new Set<string>(["system_message", ...CONVERSATION_TYPES]);
    const conversation = soundHistory.map((entries) =>
      entries.filter(({ type }) => types.has(type)),
    );
    fc.assert(
      fc.property(conversation, fc.integer({ min: 1, max: 400 }), (entries, contextTokens) => {
        const options = { window: { contextTokens }, counter, without, maxResultShare: 1 };
        const fitted = planned(entries, options, 2);
        const whole = planned(entries, options, ALL);
        expect(fitted === undefined).toBe(whole === undefined);
        if (fitted === undefined || whole === undefined) return;
        expect(fitted.plan.repairs).toEqual([]);
        const unlooked = unlookedIds(entries, fitted.plan);
        const kept = whole.entries.filter(({ id }) => !unlooked.has(id));
        expect(fitted.entries.map(({ id }) => id)).toEqual(kept.map(({ id }) => id));
      }),
      RUNS,
    );
  });

  it("keeps every law where histories are long and broken", () => {
    const broken = arbitraryBrokenLongHistory({ withCopies: true });
    fc.assert(
      fc.property(broken, fc.integer({ min: 1, max: 400 }), (entries, contextTokens) => {
        const fitted = planned(entries, { window: { contextTokens }, counter });
        if (fitted !== undefined) expectLaws(entries, fitted, { window: contextTokens, counter });
      }),
      RUNS,
    );
  });

  it("goes on from plans of long and broken histories, and keeps every law", () => {
    const steps = fc.integer({ min: 1, max: 12 });
    const windowTokens = fc.integer({ min: 20, max: 400 });
    const histories = arbitraryBrokenLongHistory();
    fc.assert(
      fc.property(histories, windowTokens, steps, (entries, contextTokens, step) => {
        const options = { window: { contextTokens }, counter };
        let previousPlan: ReductionPlan | undefined;
        for (let end = step; end < entries.length + step; end += step) {
          const sofar = entries.slice(0, end);
          const fitted = planned(sofar, { ...options, ...(previousPlan && { previousPlan }) });
          if (fitted === undefined) continue;
          expectLaws(sofar, fitted, { window: contextTokens, counter });
          const stored: ReductionPlan = JSON.parse(JSON.stringify(fitted.plan));
          expect(applyPlan(sofar, stored)).toEqual(fitted.entries);
          previousPlan = stored;
        }
      }),
      RUNS,
    );
  });

  it("looks at the end of a history only, however long it is (L13)", () => {
    const [short, long] = [10_000, 100_000].map((length) => {
      const { entries, counter: ten, takeWork } = watchedHistory(length / 4);
      takeWork();
      fitToWindow(entries, { window, counter: ten });
      return takeWork();
    });
    expect(long).toEqual(short);
    // Two windows, the turn that the second begins in, and the system message.
    expect(short?.counted).toBeLessThanOrEqual(66);
    // And the ends of the run that was not looked at.
    expect(short?.looked).toBeLessThanOrEqual(67);
  });

  it("drops a copy of a system message that stands before what is looked at", () => {
    const { entries, counter: ten } = watchedHistory(100);
    const [system] = entries;
    const doubled = [...entries.slice(0, 1), ...entries];
    const { entries: fitted, plan } = fitToWindow(doubled, { window, counter: ten });
    expect(fitted.filter((entry) => entry === system)).toHaveLength(1);
    expect(plan.repairs).toEqual([{ kind: "dropped-duplicate", entryId: "s" }]);
  });

  it("looks at all of a turn whose name goes on behind a request without one", () => {
    const turnId = "t1";
    const entries = [
      userMessage({ id: "u1", turnId, content: "q".repeat(10) }),
      assistantMessage({ id: "n1", turnId, content: "n".repeat(5) }),
      userMessage({ id: "added", content: "q".repeat(5) }),
      assistantMessage({ id: "n2", turnId, content: "n".repeat(35) }),
      assistantMessage({ id: "n3", turnId, content: "n".repeat(35) }),
      assistantMessage({ id: "a1", turnId, content: "a".repeat(5) }),
      userMessage({ id: "u2", turnId: "t2", content: "q".repeat(5) }),
    ];
    const fitted = fitToWindow(entries, { window: { contextTokens: 40 }, counter });
    expect(fitted.entries.map(({ id }) => id)).toEqual(["u1", "n1", "added", "a1", "u2"]);
    expectLaws(entries, fitted, { window: 40, counter });
  });

  it("counts the end of a long turn only (L13)", () => {
    const { entries, counter: ten, addTurn, takeWork } = watchedHistory(1);
    while (entries.length < 10_000) addTurn({ goesOn: true });
    fitToWindow(entries, { window, counter: ten });
    expect(takeWork().counted).toBeLessThanOrEqual(66);
  });

  it("leaves a repair behind as the conversation goes on", () => {
    const history = watchedHistory(500);
    const { entries, counter: ten, addTurn } = history;
    addTurn({ isLost: true });
    let { plan } = fitToWindow(entries, { window, counter: ten });
    expect(plan.repairs.map(({ kind }) => kind)).toEqual(["added-result"]);
    for (let turn = 0; turn < 40; turn++) {
      addTurn();
      plan = fitToWindow(entries, { window, counter: ten, previousPlan: plan }).plan;
    }
    expect(plan.repairs).toEqual([]);
    expect(plan.repairedFrom).toBeGreaterThan(2000);
  });
});

function planned(
  entries: readonly HistoryEntry[],
  options: Parameters<typeof planFit>[1],
  windows?: number,
): Reduction | undefined {
  try {
    const { plan } = runAtOnce(options, (asker) => planFit(entries, options, asker, windows));
    return { entries: applyPlan(entries, plan), plan };
  } catch (error) {
    if (isHistoryError(error, "WINDOW_TOO_SMALL")) return undefined;
    throw error;
  }
}

/** What was dropped uncounted. */
function unlookedIds(entries: readonly HistoryEntry[], plan: ReductionPlan): ReadonlySet<string> {
  let index = 0;
  const ids = plan.decisions.flatMap(({ entryCount, estimated }) => {
    const run = entries.slice(index, (index += entryCount));
    return estimated === true ? run.map(({ id }) => id) : [];
  });
  return new Set(ids);
}
