import { groupExchanges, mendHistory } from "@agent-history/core";
import type { HistoryEntry, ReductionPlan } from "@agent-history/core";

import { isGone, isTrace } from "./draft.ts";
import { mendAsPlanned } from "./mend-as-planned.ts";
import { addDecision, keepDecision } from "./plan-of-draft.ts";
import type { Request } from "./request.ts";
import type { Task } from "./task.ts";

/** An earlier plan that is still about the beginning of this history. */
export interface Continuation {
  /** The history, mended as the plan says it was. */
  readonly entries: readonly HistoryEntry[];
  readonly plan: ReductionPlan;
  /** How many entries the plan decided upon. */
  readonly planned: number;
  /** What is not settled yet, where any of it must be paired. */
  readonly open: readonly HistoryEntry[];
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
  const { entries, repairs } = mendAsPlanned(given, plan);
  const isAsMended = plan.repairs.every(
    ({ kind, entryId }, nth) => kind === repairs[nth]?.kind && entryId === repairs[nth]?.entryId,
  );
  if (!isAsMended) return undefined;
  const planned = plan.decisions.reduce((sum, { entryCount }) => sum + entryCount, 0);
  const ids = entries.slice(planned).map(({ id }) => id);
  const added = new Set(ids);
  let place = 0;
  for (const { from, to, entryCount, action } of plan.decisions) {
    const end = place + entryCount;
    if (entries[place]?.id !== from || entries[end - 1]?.id !== to) return undefined;
    // What is gone may come again.
    if (isGone(action)) place = end;
    for (; place < end; place++) if (added.has(entries[place]?.id ?? "")) return undefined;
  }
  const unsettled = entries.slice(Math.min(plan.settledUntil, planned));
  const open = unsettled.some(isTrace) ? unsettled : [];
  const isSound = open.length === 0 || mendHistory(open).repairs.length === 0;
  return isSound && added.size === ids.length
    ? { entries, plan: { ...plan, repairs }, planned, open }
    : undefined;
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
  { entries, plan, planned, open }: Continuation,
  request: Request,
): Task<ReductionPlan | undefined> {
  if (planned === entries.length) return plan;
  const decisions = [...plan.decisions];
  let added = 0;
  for (const entry of entries.slice(planned)) {
    const tokens = yield* request.count(entry);
    added += tokens;
    const isOversized = entry.type === "observation" && tokens > request.maxResultTokens;
    if (isOversized || plan.totalTokens - plan.requestTokens + added > request.budget)
      return undefined;
    addDecision(decisions, keepDecision(entry, tokens));
  }
  const groups = open.length === 0 ? [] : groupExchanges(open);
  const running = groups.find((group) => group.kind === "exchange" && group.running);
  const settledUntil =
    running?.kind === "exchange" ? entries.lastIndexOf(running.action) : entries.length;
  return { ...plan, decisions, settledUntil, totalTokens: plan.totalTokens + added };
}
