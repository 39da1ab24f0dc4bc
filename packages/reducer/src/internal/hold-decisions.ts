import type { Decision, HistoryEntry, ReductionPlan } from "@agent-history/core";

import { beginsTurn, fixedAs, isGone, isTrace } from "./draft.ts";
import type { Request } from "./request.ts";
import { isKeptEntry } from "./seal-plan.ts";
import type { Task } from "./task.ts";

/** The beginning of a plan that is still about the same entries. */
export interface HeldDecisions {
  readonly decisions: readonly Decision[];
  /** How many entries they are about. */
  readonly planned: number;
  /** How many more entries stand there than when it was made: of those that it dropped, some may have come or gone. */
  readonly shift: number;
  /** Everything that the plan kept stands there as it was. */
  readonly isWhole: boolean;
  /** And so do the ends of what it dropped. */
  readonly isSame: boolean;
  /** Of what it dropped, some stands behind what is held. */
  readonly isReopened: boolean;
}

/**
 * Takes over the decisions of an earlier plan up to the first entry that it kept and that is no longer the same. Looks at what was kept and at the
 * ends of what was dropped; only where an end has moved, at all.
 */
export function* holdDecisions(
  earlier: ReductionPlan,
  entries: readonly HistoryEntry[],
  { count, options }: Request,
): Task<HeldDecisions> {
  const { decisions, repairs } = earlier;
  const isKept = isKeptEntry(earlier, options);
  const held: Decision[] = [];
  let kept = 0;
  let planned = 0;
  let shift = 0;
  let isSame = true;
  // What was mended stands where it stood: nothing before it may have moved.
  const mayMove = repairs.length === 0;
  for (const [nth, decision] of decisions.entries()) {
    const isDropped = isGone(decision.action);
    let left: Decision | undefined = decision;
    if (!isDropped) {
      let same = 0;
      while (same < decision.entryCount && isKept(entries[planned + same], kept + same)) same += 1;
      kept += same;
      if (same < decision.entryCount) {
        left = yield* keepPart(decision, entries.slice(planned, planned + same), count);
      }
    } else if (!standsAt(planned, decision, entries)) {
      left = mayMove ? leftOf(decision, decisions[nth + 1], entries, planned) : undefined;
    }
    const entryCount = left?.entryCount ?? 0;
    if (left !== undefined && entryCount > 0) held.push(left);
    planned += entryCount;
    isSame &&= left === decision;
    if (left === undefined || (!isDropped && left !== decision)) {
      const isReopened = decisions.slice(nth).some(({ action }) => isGone(action));
      return { decisions: held, planned, shift, isWhole: false, isSame, isReopened };
    }
    shift += entryCount - decision.entryCount;
  }
  return { decisions: held, planned, shift, isWhole: true, isSame, isReopened: false };
}

/** Keeps of a run what stands there as it was. */
function* keepPart(
  decision: Decision,
  run: readonly HistoryEntry[],
  count: Request["count"],
): Task<Decision> {
  let tokens = 0;
  for (const entry of run) tokens += yield* count(entry);
  const to = run.at(-1)?.id ?? decision.to;
  return { ...decision, to, entryCount: run.length, tokensBefore: tokens, tokensAfter: tokens };
}

function standsAt(
  place: number,
  { from, to, entryCount }: Decision,
  entries: readonly HistoryEntry[],
): boolean {
  return entries[place]?.id === from && entries[place + entryCount - 1]?.id === to;
}

/**
 * Finds what is left of a dropped run of which entries came or went: what stands before the next run. Nothing where that is not found, or would
 * part a turn; where an entry stands there that must not be dropped; or where a summary stands for the run.
 */
function leftOf(
  run: Decision,
  next: Decision | undefined,
  entries: readonly HistoryEntry[],
  place: number,
): Decision | undefined {
  const end = entries.findIndex(({ id }, at) => at >= place && id === next?.from);
  const left = entries.slice(place, Math.max(place, end));
  const isApart = beginsTurn(entries, end) || left.every(isTrace);
  if (end < 0 || !isApart || run.action.kind !== "drop" || left.some(isFixed)) return undefined;
  return {
    ...run,
    from: left[0]?.id ?? run.from,
    to: left.at(-1)?.id ?? run.to,
    entryCount: left.length,
    tokensBefore: Math.round((run.tokensBefore / run.entryCount) * left.length),
    estimated: true,
  };
}

function isFixed(entry: HistoryEntry): boolean {
  return fixedAs(entry) !== undefined;
}
