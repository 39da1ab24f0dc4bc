import { findQuestion, isHistoryError } from "@agent-history/core";
import type { HistoryEntry, ReductionPlan } from "@agent-history/core";

import type { FitOptions } from "../fit-options.ts";
import type { Planner } from "../recall.ts";
import { appendToPlan } from "./append-to-plan.ts";
import { draftFromPlan, draftHistory, isShortSighted } from "./build-draft.ts";
import { capNewest, shrinkNewest } from "./cap-newest.ts";
import { capResults } from "./cap-results.ts";
import { continuationOf } from "./continue-plan.ts";
import type { Continuation } from "./continue-plan.ts";
import type { Draft } from "./draft.ts";
import { dropOpening, shortenHeld } from "./drop-held.ts";
import { countGuessed, countUntilOver } from "./guess-items.ts";
import { condenseBeforeGap } from "./opening.ts";
import { planOfDraft } from "./plan-of-draft.ts";
import { recallOf } from "./recall-of.ts";
import { refill } from "./refill.ts";
import { openRequest } from "./request.ts";
import type { Request } from "./request.ts";
import { settleRoles } from "./roles.ts";
import { runSteps } from "./run-steps.ts";
import { askScorer } from "./score-items.ts";
import { blocksOf, quoteName, sealPlan } from "./seal-plan.ts";
import type { UnsealedPlan } from "./seal-plan.ts";
import { sharedEntries } from "./shared-entries.ts";
import type { Task } from "./task.ts";

/** How many windows are looked at, walking backward. */
const HORIZON = 2;

/**
 * Decides what to do with each entry, so that the request fits.
 *
 * @param windows - How far back to look at first.
 */
export function* planTask(
  entries: readonly HistoryEntry[],
  options: FitOptions,
  windows: number = HORIZON,
): Task<ReductionPlan> {
  const request = yield* openRequest(options);
  const recall = recallOf(options);
  const continuation = recall === "every-turn" ? recall : yield* continuationOf(entries, request);
  if (continuation === undefined || typeof continuation === "string") {
    const { draft, plan } = yield* planStateless(entries, request, Infinity, windows);
    const isFirst = continuation === undefined || options.previousPlan === undefined;
    return sealPlan(
      plan,
      draft.entries,
      request,
      isFirst ? undefined : { entryCount: 0, stoppedBy: continuation },
    );
  }
  const fit = { given: entries, continuation, request, windows };
  if (typeof recall === "object") return yield* recall.proceed(fit, PLANNER);
  return PLANNER.seal((yield* PLANNER.append(fit)) ?? (yield* PLANNER.cut(fit)), fit);
}

const PLANNER: Planner = {
  *append({ continuation, request }) {
    const { entries, planned: entryCount, stoppedBy } = continuation;
    const plan = yield* appendToPlan(continuation, request);
    return plan && { plan, entries, continued: { entryCount, ...(stoppedBy && { stoppedBy }) } };
  },
  *cut({ given, continuation, request, windows }) {
    const { draft, plan } = yield* planCut(given, continuation, { request, windows });
    const entryCount = sharedEntries(continuation.plan.decisions, plan.decisions);
    return { plan, entries: draft.entries, continued: { entryCount, stoppedBy: "cut" } };
  },
  seal({ plan, entries, continued }, { request }, quoted) {
    const isEarlier = quoted !== undefined && quoted.unchanged.entryCount < continued.entryCount;
    const until = isEarlier ? quoted.unchanged : continued;
    return sealPlan(plan, entries, request, until, quoted?.blocks);
  },
  askScorer,
  findQuestion,
  blocksOf,
  quoteName,
  isTooSmall: (error) => isHistoryError(error, "WINDOW_TOO_SMALL"),
};

/** A plan, and what it was written down from. */
interface Planned {
  readonly draft: Draft;
  readonly plan: UnsealedPlan;
}

/** Makes room, continuing what holds of an earlier plan where that is possible. */
function* planCut(
  given: readonly HistoryEntry[],
  continuation: Continuation,
  { request, windows }: { readonly request: Request; readonly windows: number },
): Task<Planned> {
  const { plan, entries, planned, isReopened } = continuation;
  const draft = yield* draftFromPlan({ ...continuation, given }, request);
  yield* capResults(draft, request);
  // What was repaired would be repaired at every call: a cut begins behind it. A scorer is asked anew.
  const isLeftBehind = plan.repairs.length > 0 && !hasSummary(plan);
  const isStateless = request.options.scorer !== undefined || isLeftBehind || isReopened;
  const isOver = draft.total > request.budget;
  // A summary of the earlier plan is fixed in its draft: where it takes too much room, all is drafted anew.
  if (!(isOver && isStateless) && (yield* makeRoom(draft, request, request.lowTarget))) {
    return { draft, plan: yield* planOfDraft(draft, request) };
  }
  return yield* planStateless(given, request, entries.length - planned, windows);
}

function hasSummary({ decisions }: UnsealedPlan): boolean {
  return decisions.some(({ action }) => action.kind === "summarize");
}

/** Plans a history, looking at its end, and further back as long as what lies there might still be kept. */
function* planStateless(
  entries: readonly HistoryEntry[],
  request: Request,
  unsent: number,
  windows: number,
): Task<Planned> {
  const target = unsent === Infinity ? request.budget : request.lowTarget;
  for (let reach = windows; ; reach *= 2) {
    const draft = yield* draftHistory(entries, request, unsent, reach);
    yield* makeRoom(draft, request, target);
    const isEnough = !(yield* isShortSighted(draft, request, target));
    if (isEnough) return { draft, plan: yield* planOfDraft(draft, request) };
  }
}

/** Takes steps until there is room, and tells whether there is. Once the window is full, one cut goes down to the target. */
function* makeRoom(draft: Draft, request: Request, target: number): Task<boolean> {
  yield* capResults(draft, request);
  yield* countUntilOver(draft, request);
  if (draft.total > request.budget) {
    yield* capNewest(draft, request);
    yield* runCounted(draft, request, target);
    yield* condenseBeforeGap(draft, request);
    yield* shrinkNewest(draft, request);
    dropOpening(draft, request);
    yield* shortenHeld(draft, request);
    yield* shrinkNewest(draft, request);
    // With fewer sources a cut of the text may be enough.
    yield* capResults(draft, request);
    settleRoles(draft);
    yield* refill(draft, request, Math.max(target, 0));
    // What was shortened may have come back as long as there was room.
    yield* capResults(draft, request);
    if (yield* countGuessed(draft, request)) yield* runCounted(draft, request, request.budget);
  }
  settleRoles(draft);
  return draft.total <= request.budget;
}

/** Takes steps until what stays is counted and has room. */
function* runCounted(draft: Draft, request: Request, target: number): Task<void> {
  do yield* runSteps(draft, request, target);
  while ((yield* countGuessed(draft, request)) && draft.total > target);
}
