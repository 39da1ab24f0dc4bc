import { repairHistory } from "@agent-history/core";
import type { ActionEntry, HistoryEntry, ReductionPlan, StoppedBy } from "@agent-history/core";

import { isCalledFromBefore } from "./called-from-before.ts";
import type { FitContext } from "./fit-context.ts";
import { holdAll, holdDecisions } from "./hold-decisions.ts";
import type { HeldDecisions } from "./hold-decisions.ts";
import type { MaybeAsync } from "./maybe-async.ts";
import { plainlyRunning } from "./plainly-running.ts";
import { isPlannedFor } from "./planned-window.ts";
import { recallOf } from "./recall-of.ts";
import { repairFrom, newestOf } from "./repair-as-planned.ts";
import { isIntact, quotedTokens, readablePlan, recallsOf, totalOf } from "./seal-plan.ts";
import type { Own, UnsealedPlan } from "./seal-plan.ts";
import { whyNot } from "./why-not.ts";
import { isTrace } from "./working-plan.ts";

/** An earlier plan that is still about the beginning of this history. */
export interface Continuation extends Pick<HeldDecisions, "planned" | "isReopened"> {
  /** The history, repaired. */
  readonly entries: readonly HistoryEntry[];
  /** What holds of the plan. */
  readonly plan: UnsealedPlan;
  /** What is not settled yet, where any of it must be paired. */
  readonly open: readonly HistoryEntry[];
  /** Why not all of the plan holds. */
  readonly stoppedBy: StoppedBy | undefined;
  /** Where the first exchange that runs begins among what is open, where that is plain; -1 where none does. */
  readonly running: number | undefined;
  /** The earlier plan, as it was passed in. */
  readonly earlier: ReductionPlan;
  /** All that the earlier plan keeps are the same objects still. */
  readonly isIdentical: boolean;
}

/**
 * Finds how far an earlier plan holds, or why it does not: it is for the same request, what it kept is the same, and what came since is valid.
 * Looks at what is kept and what is new; of what was dropped, at the ends of the runs.
 */
export function* continuationOf(
  given: readonly HistoryEntry[],
  context: FitContext,
): MaybeAsync<Continuation | StoppedBy | undefined> {
  const { previousPlan } = context.options;
  if (previousPlan === undefined) return undefined;
  const earlier = readablePlan(previousPlan, context.options);
  if (earlier === undefined) return "damaged";
  const other = whyOther(earlier, context);
  if (other !== undefined) return other;
  const { repairs, repairedFrom } = earlier;
  const isRepaired = repairs.length > 0;
  const sofar = isRepaired ? repairFrom(given, repairedFrom) : { entries: given, repairs };
  let holding = yield* holdIn({ ...sofar, repairedFrom }, earlier, context);
  if (!holding.isSound && !isRepaired) {
    // What broke behind what is settled is repaired from there.
    const from = holding.settledUntil;
    holding = yield* holdIn({ ...repairFrom(given, from), repairedFrom: from }, earlier, context);
  }
  const newest = newestOf(given, holding.entries, holding.repairedFrom);
  const { entries, held, repairs: since } = holding;
  const stopped = holding.isSound
    ? whyNot({ entries, held, repairs: since, newest }, earlier, context)
    : "pairing";
  return stopped ?? continuing(holding, earlier);
}

/** Writes down what holds. Names each field: to read the checksum would be to compute it. */
function continuing(holding: Holding, earlier: ReductionPlan): Continuation {
  const { entries, open, running, repairs, repairedFrom, settledUntil, held: what } = holding;
  const { counterId, window, view, viewer, requestTokens, skipped } = earlier;
  const { decisions, planned, shift, isReopened } = what;
  // Of what was dropped before it, some may be gone. What was repaired has not moved.
  const mayMove = repairs.length === 0;
  const moved = Math.max(0, Math.min(repairedFrom, repairedFrom + shift, planned));
  // That a plan's total is that of its decisions was checked.
  const totalTokens = what.isIdentical
    ? earlier.totalTokens - quotedTokens(earlier)
    : totalOf(requestTokens, decisions);
  const plan: Own<UnsealedPlan> = {
    counterId,
    window,
    view,
    requestTokens,
    repairs,
    repairedFrom: mayMove ? moved : repairedFrom,
    decisions,
    settledUntil,
    totalTokens,
  };
  if (viewer !== undefined) plan.viewer = viewer;
  if (skipped !== undefined) plan.skipped = skipped;
  const stoppedBy = what.isWhole ? undefined : "change";
  const isIdentical = what.isIdentical && repairs.length === 0;
  return { entries, plan, planned, open, running, isReopened, stoppedBy, earlier, isIdentical };
}

function whyOther(plan: ReductionPlan, context: FitContext): StoppedBy | undefined {
  const { options } = context;
  if (!isIntact(plan, options)) return "damaged";
  const { counterId, view, viewer, requestTokens, window } = plan;
  if (recallsOf(plan).length > 0 && typeof recallOf(options) === "string") return "recall";
  if (counterId !== options.counter.id) return "counter";
  if (view !== context.view) return "view";
  if (viewer?.agentId !== options.viewer?.agentId) return "viewer";
  if (requestTokens !== context.requestTokens) return "request";
  return isPlannedFor(options.window, window) ? undefined : "window";
}

/** What holds of an earlier plan in a history that was repaired. */
interface Holding extends Pick<UnsealedPlan, "repairs" | "repairedFrom" | "settledUntil"> {
  readonly entries: readonly HistoryEntry[];
  readonly held: HeldDecisions;
  readonly open: readonly HistoryEntry[];
  readonly running: number | undefined;
  readonly isSound: boolean;
}

function* holdIn(
  repaired: Pick<Holding, "entries" | "repairs" | "repairedFrom">,
  earlier: ReductionPlan,
  context: FitContext,
): MaybeAsync<Holding> {
  const { entries } = repaired;
  const held = holdAll(earlier, entries) ?? (yield* holdDecisions(earlier, entries, context));
  const settledUntil = settledIn(entries, held, earlier);
  const unsettled = entries.slice(settledUntil);
  const open = unsettled.some(isTrace) ? unsettled : [];
  const running = plainlyRunning(open);
  const isSound =
    running !== undefined ||
    (repairHistory(open).repairs.length === 0 &&
      !isCalledFromBefore(entries, { settledUntil, from: held.planned }));
  const { repairs, repairedFrom } = repaired;
  return { entries, repairs, repairedFrom, held, settledUntil, open, running, isSound };
}

/** The index of the first entry whose exchange may have grown, or may have been changed. */
function settledIn(
  entries: readonly HistoryEntry[],
  { planned, shift }: HeldDecisions,
  { settledUntil }: ReductionPlan,
): number {
  if (shift === 0 && settledUntil <= planned) return settledUntil;
  let index = Math.max(0, Math.min(settledUntil, settledUntil + shift, planned));
  for (let entry = entries[index - 1]; entry && isTrace(entry); entry = entries[index - 1]) {
    index -= 1;
    if (entry.type === "action" && !isCalled(entry)) break;
  }
  return index;
}

/** Returns whether what an earlier action called made a call of this one. */
function isCalled({ toolCalls }: ActionEntry): boolean {
  const own = new Set(toolCalls.map(({ id }) => id));
  return toolCalls.some(({ callerId }) => callerId !== undefined && !own.has(callerId));
}
