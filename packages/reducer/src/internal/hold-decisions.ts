import type { Decision, HistoryEntry, ReductionPlan, Viewer } from "@agent-history/core";

import type { FitContext } from "./fit-context.ts";
import type { MaybeAsync } from "./maybe-async.ts";
import { unchangedUntil } from "./plan-memory.ts";
import { isMessage, partsOf, requestTest, turnTest } from "./requests.ts";
import { isKeptEntry } from "./seal-plan.ts";
import { fixedAs, isGone, isTrace } from "./working-plan.ts";

/** The beginning of a plan that is still about the same entries. */
export interface HeldDecisions {
  readonly decisions: readonly Decision[];
  /** How many entries they are about. */
  readonly planned: number;
  /** How many more entries stand there than when it was made: of those that it dropped, some may have come or gone. */
  readonly shift: number;
  /** Everything that the plan keeps is unchanged. */
  readonly isWhole: boolean;
  /** And so do the ends of what it dropped. */
  readonly isSame: boolean;
  /** Of what it dropped, some stands behind what is held. */
  readonly isReopened: boolean;
  /** What the plan keeps are the same objects, known without a look at each. */
  readonly isIdentical: boolean;
}

/** Takes over all decisions of an earlier plan that was made here, where all that it keeps are the same objects still. */
export function holdAll(
  earlier: ReductionPlan,
  entries: readonly HistoryEntry[],
): HeldDecisions | undefined {
  const planned = unchangedUntil(earlier, entries);
  if (planned === undefined) return undefined;
  return { ...WHOLE, decisions: earlier.decisions, planned, isIdentical: true };
}

/**
 * Takes over the decisions of an earlier plan up to the first entry that it kept and that is no longer the same. Looks at what was kept and at the
 * ends of what was dropped; only where an end has moved, at all.
 */
export function* holdDecisions(
  earlier: ReductionPlan,
  entries: readonly HistoryEntry[],
  { count, options }: FitContext,
): MaybeAsync<HeldDecisions> {
  const { decisions, repairs } = earlier;
  const isKept = isKeptEntry(earlier, options);
  const held: Decision[] = [];
  let kept = 0;
  let planned = 0;
  let shift = 0;
  let isSame = true;
  // What was repaired stands where it stood: nothing before it may have moved.
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
      const isFirst = !keepsMessages(held, entries);
      const run = { decisions, nth, index: planned, isFirst };
      left = mayMove ? leftOf(run, entries, options.viewer) : undefined;
    }
    const entryCount = left?.entryCount ?? 0;
    if (left !== undefined && entryCount > 0) held.push(left);
    planned += entryCount;
    isSame &&= left === decision;
    if (left === undefined || (!isDropped && left !== decision)) {
      const isReopened = decisions.slice(nth).some(({ action }) => isGone(action));
      const start = lastTurn(held, planned, entries, options.viewer);
      const back = yield* cutAt(start, held, entries, count);
      return {
        decisions: back,
        planned: start,
        shift,
        isWhole: false,
        isSame,
        isReopened: isReopened || start < planned,
        isIdentical: false,
      };
    }
    shift += entryCount - decision.entryCount;
  }
  // What came or went of what was dropped may change what the last turn needs.
  const start = isSame ? planned : lastTurn(held, planned, entries, options.viewer);
  if (start === planned) {
    return { ...WHOLE, decisions: held, planned, shift, isSame };
  }
  const back = yield* cutAt(start, held, entries, count);
  const torn = { ...WHOLE, isWhole: false, isReopened: true };
  return { ...torn, decisions: back, planned: start, shift, isSame };
}

const WHOLE = { shift: 0, isWhole: true, isSame: true, isReopened: false, isIdentical: false };

/**
 * Tells where to hold on to an earlier plan no longer: before the turn in which it ends, where what was dropped of that turn may be needed.
 */
function lastTurn(
  held: readonly Decision[],
  planned: number,
  entries: readonly HistoryEntry[],
  viewer: Viewer | undefined,
): number {
  const beginsTurn = turnTest(entries, viewer);
  let start = planned - 1;
  while (start > 0 && !beginsTurn(start)) start -= 1;
  const gone = new Set<HistoryEntry>();
  const asks = requestTest(entries, viewer);
  let isChanged = false;
  let index = 0;
  for (const { action, entryCount } of held) {
    const from = Math.max(start, index);
    const end = index + entryCount;
    // A summary stands for all of its run.
    if (action.kind === "summarize" && index < start && start < end) start = index;
    index = end;
    const run = entries.slice(from, end);
    if (isGone(action)) for (const entry of run) gone.add(entry);
    // What was shortened as an old request may be the question now.
    isChanged ||= action.kind === "edit" && run.some(asks);
  }
  if (beginsTurn(planned)) {
    const parts = partsOf(entries.slice(start, planned), asks, viewer);
    const left = parts.filter((entry) => !gone.has(entry));
    return left.length > 0 && left.length < parts.length ? start : planned;
  }
  const last = held.at(-1);
  const isTorn = last !== undefined && isGone(last.action) && gone.size < planned - start;
  // A memory parts roles, too.
  const isNeeded = [...gone].some((entry) => !isTrace(entry));
  return isTorn || isChanged || isNeeded ? start : planned;
}

/** Leaves of decisions those about the first entries. */
function* cutAt(
  end: number,
  held: readonly Decision[],
  entries: readonly HistoryEntry[],
  count: FitContext["count"],
): MaybeAsync<readonly Decision[]> {
  const left: Decision[] = [];
  let index = 0;
  for (const decision of held) {
    const run = entries.slice(index, Math.min(end, index + decision.entryCount));
    index += decision.entryCount;
    if (run.length === decision.entryCount) left.push(decision);
    else if (run.length > 0) left.push(yield* keepPart(decision, run, count));
  }
  return left;
}

/** Takes over what a decision says of the beginning of its run. */
function* keepPart(
  decision: Decision,
  run: readonly HistoryEntry[],
  count: FitContext["count"],
): MaybeAsync<Decision> {
  let tokens = 0;
  for (const entry of run) tokens += yield* count(entry);
  const to = run.at(-1)?.id ?? decision.to;
  const tokensAfter = isGone(decision.action) ? 0 : tokens;
  return { ...decision, to, entryCount: run.length, tokensBefore: tokens, tokensAfter };
}

function standsAt(
  index: number,
  { from, to, entryCount }: Decision,
  entries: readonly HistoryEntry[],
): boolean {
  return entries[index]?.id === from && entries[index + entryCount - 1]?.id === to;
}

/**
 * Finds what is left of a dropped run of which entries came or went: what stands before the next run. Nothing where that is not found, or would
 * part a turn; where an entry stands there that must not be dropped; or where a summary stands for the run.
 */
function leftOf(
  {
    decisions,
    nth,
    index,
    isFirst,
  }: {
    readonly decisions: readonly Decision[];
    /** Which of them is about the run. */
    readonly nth: number;
    readonly index: number;
    /** No message before it was kept. */
    readonly isFirst: boolean;
  },
  entries: readonly HistoryEntry[],
  viewer: Viewer | undefined,
): Decision | undefined {
  const [run, next] = [decisions[nth], decisions[nth + 1]];
  if (run === undefined) return undefined;
  const end = entries.findIndex(({ id }, at) => at >= index && id === next?.from);
  const left = entries.slice(index, Math.max(index, end));
  const beginsTurn = turnTest(entries, viewer);
  // What now stands first in it may answer what was kept before.
  const isHead = isFirst || left[0]?.id === run.from || beginsTurn(index);
  // What came in may be part of a turn that was kept.
  const isNamed = left.length > run.entryCount && left.some(({ turnId }) => turnId !== undefined);
  // Requests that nothing parts any more are one.
  const isRow = entries.slice(end, end + 1).some(requestTest(entries, viewer)) && !beginsTurn(end);
  // Of what is gone altogether nobody knows whether it began a turn: what follows may be of the turn before now.
  const isOpen =
    left.length === 0 &&
    dropsMessage({ decisions, nth: nth + 1, entryIndex: end }, entries, beginsTurn);
  const isInTurn = left.every(isTrace) && !isRow && !isOpen;
  const isApart = (isInTurn || (beginsTurn(end) && isHead)) && !isNamed;
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

/** Returns whether of what some decisions say of the entries from an index on, up to the next turn, a message is dropped. */
function dropsMessage(
  from: {
    readonly decisions: readonly Decision[];
    readonly nth: number;
    readonly entryIndex: number;
  },
  entries: readonly HistoryEntry[],
  beginsTurn: (index: number) => boolean,
): boolean {
  let { nth, entryIndex } = from;
  for (let next = from.decisions[nth]; next !== undefined; next = from.decisions[nth]) {
    for (const end = entryIndex + next.entryCount; entryIndex < end; entryIndex++) {
      const entry = entries[entryIndex];
      if (entry === undefined || beginsTurn(entryIndex)) return false;
      if (isGone(next.action) && isMessage(entry)) return true;
    }
    nth += 1;
  }
  return false;
}

function keepsMessages(decisions: readonly Decision[], entries: readonly HistoryEntry[]): boolean {
  let index = 0;
  return decisions.some(({ action, entryCount }) => {
    const run = isGone(action) ? [] : entries.slice(index, index + entryCount);
    index += entryCount;
    return run.some(({ type }) => type !== "system_message");
  });
}

function isFixed(entry: HistoryEntry): boolean {
  return fixedAs(entry) !== undefined;
}
