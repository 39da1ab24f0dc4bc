import { groupExchanges, mendHistory } from "@agent-history/core";
import type { HistoryEntry, ReductionPlan, Repair } from "@agent-history/core";

import { keepDecision, runs } from "./plan-of-draft.ts";
import type { Request } from "./request.ts";
import type { Task } from "./task.ts";

/** An earlier plan that is still about the beginning of this history. */
export interface Continuation {
  /** The history, mended as the plan says it was. */
  readonly entries: readonly HistoryEntry[];
  readonly plan: ReductionPlan;
  /** How many entries the plan decided upon. */
  readonly planned: number;
}

/**
 * Looks whether an earlier plan can go on: the same window, counter and view, its runs still there, and what came since
 * sound. Looks at the ends of the runs and at what is new, never at the rest.
 */
export function continuationOf(
  given: readonly HistoryEntry[],
  request: Request,
): Continuation | undefined {
  const plan = request.options.previousPlan;
  if (plan === undefined || !isForTheSame(plan, request)) return undefined;
  // A sound history need not be mended again; a broken one must be mended as it was, or the plan is about another.
  const { entries, repairs } =
    plan.repairs.length === 0 ? { entries: given, repairs: [] } : mendHistory(given);
  if (!plan.repairs.every((repair, index) => isSame(repair, repairs[index]))) return undefined;
  let planned = 0;
  for (const { from, to, entryCount } of plan.decisions) {
    if (entries[planned]?.id !== from || entries[planned + entryCount - 1]?.id !== to)
      return undefined;
    planned += entryCount;
  }
  const open = entries.slice(Math.min(plan.settledUntil, planned));
  const isSound = !pairs(open) || mendHistory(open).repairs.length === 0;
  return isSound && !repeatsId(entries, plan, planned)
    ? { entries, plan: { ...plan, repairs }, planned }
    : undefined;
}

function isSame(one: Repair, other: Repair | undefined): boolean {
  return one.kind === other?.kind && one.entryId === other.entryId;
}

/** Tells whether anything must be paired. */
function pairs(entries: readonly HistoryEntry[]): boolean {
  return entries.some(({ type }) => type === "action" || type === "observation");
}

/** Tells whether something new bears the id of something that is kept, or that is new too. */
function repeatsId(
  entries: readonly HistoryEntry[],
  plan: ReductionPlan,
  planned: number,
): boolean {
  const ids = entries.slice(planned).map(({ id }) => id);
  const added = new Set(ids);
  if (added.size < ids.length) return true;
  let place = 0;
  return plan.decisions.some(({ action, entryCount }) => {
    const start = place;
    place += entryCount;
    if (action.kind === "drop" || action.kind === "summarise") return false;
    for (let index = start; index < place; index++)
      if (added.has(entries[index]?.id ?? "")) return true;
    return false;
  });
}

function isForTheSame(plan: ReductionPlan, { options, view, requestTokens }: Request): boolean {
  const { window } = options;
  return (
    plan.counterId === options.counter.id &&
    plan.view === view &&
    plan.requestTokens === requestTokens &&
    plan.window.contextTokens === window.contextTokens &&
    plan.window.outputReserveTokens === window.outputReserveTokens &&
    plan.window.marginTokens === window.marginTokens
  );
}

/** Adds what is new to an earlier plan, where it fits; nothing where a cut must be made. */
export function* appendToPlan(
  { entries, plan, planned }: Continuation,
  request: Request,
): Task<ReductionPlan | undefined> {
  if (planned === entries.length) return plan;
  const decisions = runs(plan.decisions);
  let added = 0;
  for (const entry of entries.slice(planned)) {
    const tokens = yield* request.count(entry);
    added += tokens;
    const isOversized = entry.type === "observation" && tokens > request.maxResultTokens;
    if (isOversized || plan.totalTokens - plan.requestTokens + added > request.budget)
      return undefined;
    decisions.add(keepDecision(entry, tokens));
  }
  return {
    ...plan,
    decisions: decisions.all,
    settledUntil: settledUntil(entries, Math.min(plan.settledUntil, planned)),
    totalTokens: plan.totalTokens + added,
  };
}

function settledUntil(entries: readonly HistoryEntry[], from: number): number {
  const open = entries.slice(from);
  if (!pairs(open)) return entries.length;
  let place = from;
  for (const group of groupExchanges(open)) {
    if (group.kind === "exchange" && group.running) return place;
    place += group.kind === "single" ? 1 : 1 + group.observations.length;
  }
  return place;
}
