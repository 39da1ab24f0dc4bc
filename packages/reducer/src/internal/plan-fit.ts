import { findQuestion, isHistoryError, throwIfAborted } from "@agent-history/core";
import type { HistoryEntry, ReductionPlan } from "@agent-history/core";

import type { FitOptions } from "../fit-options.ts";
import type { Planner } from "../recall.ts";
import { appendToPlan } from "./append-to-plan.ts";
import { hidesCopy, workingPlanFrom, newWorkingPlan } from "./build-working-plan.ts";
import { capNewest, shrinkNewest } from "./cap-newest.ts";
import { capResults } from "./cap-results.ts";
import { continuationOf } from "./continue-plan.ts";
import type { Continuation } from "./continue-plan.ts";
import { cutPlainTurns } from "./cut-plain-turns.ts";
import { dropOpening, shortenHeld } from "./drop-held.ts";
import { finishWorkingPlan } from "./finish-working-plan.ts";
import { openFitContext } from "./fit-context.ts";
import type { FitContext } from "./fit-context.ts";
import { countGuessed, countUntilOver } from "./guess-items.ts";
import type { MaybeAsync } from "./maybe-async.ts";
import { condenseBeforeGap } from "./opening.ts";
import { recallOf } from "./recall-of.ts";
import { refill } from "./refill.ts";
import { settleRoles } from "./roles.ts";
import { runSteps } from "./run-steps.ts";
import { askScorer } from "./score-items.ts";
import { blocksOf, quoteName, sealPlan } from "./seal-plan.ts";
import type { UnsealedPlan } from "./seal-plan.ts";
import { sharedEntries } from "./shared-entries.ts";
import type { WorkingItem, WorkingPlan } from "./working-plan.ts";

/** How many windows are looked at, walking backward: with whole turns, what is cut and what stays, four are tokenized at most. */
const HORIZON = 1.75;

/**
 * Decides what to do with each entry, so that the request fits.
 *
 * @param windows - How far back to look.
 */
export function* planFit(
  entries: readonly HistoryEntry[],
  options: FitOptions,
  windows: number = HORIZON,
): MaybeAsync<ReductionPlan> {
  throwIfAborted(options.signal);
  const context = yield* openFitContext(options);
  const recall = recallOf(options);
  const continuation = recall === "every-turn" ? recall : yield* continuationOf(entries, context);
  if (continuation === undefined || typeof continuation === "string") {
    const { draft, plan } = yield* planStateless(entries, context, Infinity, windows);
    const isFirst = continuation === undefined || options.previousPlan === undefined;
    return sealPlan(
      plan,
      draft.entries,
      context,
      isFirst ? undefined : { entryCount: 0, stoppedBy: continuation },
    );
  }
  const fit = { given: entries, continuation, context, windows };
  if (typeof recall === "object") return yield* recall.proceed(fit, PLANNER);
  return PLANNER.seal((yield* PLANNER.append(fit)) ?? (yield* PLANNER.cut(fit)), fit);
}

const PLANNER: Planner = {
  *append({ continuation, context }) {
    const { entries, planned: entryCount, stoppedBy, isIdentical, earlier } = continuation;
    const plan = yield* appendToPlan(continuation, context);
    if (plan === undefined) return undefined;
    const grownFrom = isIdentical ? { earlier, planned: entryCount } : undefined;
    const continued = { entryCount, ...(stoppedBy && { stoppedBy }) };
    return { plan, entries, continued, grownFrom };
  },
  *cut({ given, continuation, context, windows }) {
    const { draft, plan, items } = yield* planCut(given, continuation, { context, windows });
    const entryCount = sharedEntries(continuation.plan.decisions, plan.decisions);
    return { plan, entries: draft.entries, continued: { entryCount, stoppedBy: "cut" }, items };
  },
  seal({ plan, entries, continued, grownFrom, items }, { context, continuation }, quoted) {
    const isEarlier = quoted !== undefined && quoted.unchanged.entryCount < continued.entryCount;
    const until = isEarlier ? quoted.unchanged : continued;
    const { earlier: follows } = continuation;
    return sealPlan(plan, entries, context, until, {
      blocks: quoted?.blocks,
      grownFrom,
      follows,
      items,
    });
  },
  askScorer,
  findQuestion,
  blocksOf,
  quoteName,
  isTooSmall: (error) => isHistoryError(error, "WINDOW_TOO_SMALL"),
};

/** A plan, and what it was written down from. */
interface Planned {
  readonly draft: WorkingPlan;
  readonly plan: UnsealedPlan;
  readonly items?: readonly WorkingItem[];
}

/** Makes room, continuing what holds of an earlier plan where that is possible. */
function* planCut(
  given: readonly HistoryEntry[],
  continuation: Continuation,
  { context, windows }: { readonly context: FitContext; readonly windows: number },
): MaybeAsync<Planned> {
  const plain = yield* cutPlainTurns(continuation, context);
  if (plain !== undefined) {
    const { draft, kept: items } = plain;
    return { draft, plan: yield* finishWorkingPlan(draft, context), items };
  }
  const { plan, entries, planned, isReopened } = continuation;
  const draft = yield* workingPlanFrom({ ...continuation, given }, context);
  yield* capResults(draft, context);
  // What was repaired would be repaired at every call: a cut begins behind it. A scorer is asked anew.
  const isLeftBehind = plan.repairs.length > 0 && !hasSummary(plan);
  const isStateless = context.options.scorer !== undefined || isLeftBehind || isReopened;
  const isOver = draft.total > context.cutAbove;
  // A summary of the earlier plan is fixed in its draft: where it takes too much room, all is drafted anew.
  if (!(isOver && isStateless) && (yield* makeRoom(draft, context, context.lowTarget))) {
    return { draft, plan: yield* finishWorkingPlan(draft, context) };
  }
  return yield* planStateless(given, context, entries.length - planned, windows);
}

function hasSummary({ decisions }: UnsealedPlan): boolean {
  return decisions.some(({ action }) => action.kind === "summarize");
}

/** Plans a history, looking at its end. */
function* planStateless(
  entries: readonly HistoryEntry[],
  context: FitContext,
  unsent: number,
  windows: number,
): MaybeAsync<Planned> {
  const draft = yield* newWorkingPlan(entries, context, unsent, windows);
  const target = unsent === Infinity ? context.budget : context.lowTarget;
  if (!(yield* makeRoom(draft, context, target)) && hidesCopy(draft)) {
    return yield* planStateless(entries, context, unsent, windows * 2);
  }
  return { draft, plan: yield* finishWorkingPlan(draft, context) };
}

/** Takes steps until there is room, and tells whether there is. Once the window is full, one cut goes down to the target. */
function* makeRoom(draft: WorkingPlan, context: FitContext, target: number): MaybeAsync<boolean> {
  yield* capResults(draft, context);
  yield* countUntilOver(draft, context);
  if (draft.total > context.cutAbove) {
    yield* capNewest(draft, context);
    yield* runCounted(draft, context, target);
    yield* condenseBeforeGap(draft, context);
    yield* shrinkNewest(draft, context);
    dropOpening(draft, context);
    yield* shortenHeld(draft, context);
    yield* shrinkNewest(draft, context);
    // With fewer sources a cut of the text may be enough.
    yield* capResults(draft, context);
    settleRoles(draft);
    yield* refill(draft, context, Math.max(target, 0));
    // What was shortened may have come back as long as there was room.
    yield* capResults(draft, context);
    if (yield* countGuessed(draft, context)) yield* runCounted(draft, context, context.budget);
  }
  settleRoles(draft);
  return draft.total <= context.budget;
}

/** Takes steps until what stays is counted and has room. */
function* runCounted(draft: WorkingPlan, context: FitContext, target: number): MaybeAsync<void> {
  do yield* runSteps(draft, context, target);
  while ((yield* countGuessed(draft, context)) && draft.total > target);
}
