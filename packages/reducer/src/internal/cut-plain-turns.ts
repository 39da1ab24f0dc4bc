import { isHistoryError, throwIfAborted } from "@agent-history/core";
import type { EntryEdit, ObservationEntry } from "@agent-history/core";

import { CLEARED } from "../steps/clear-old-results.ts";
import { DROPPED_WITH_TURN } from "../steps/drop-old-messages.ts";
import { MESSAGE_SHARE } from "../steps/shorten-old-messages.ts";
import { SHORTENED, SHORTENED_LENGTH } from "../steps/shrink-old-results.ts";
import type { Continuation } from "./continue-plan.ts";
import { dropItem, takeBack } from "./drop-items.ts";
import type { FitContext } from "./fit-context.ts";
import type { MaybeAsync } from "./maybe-async.ts";
import { BEFORE_GAP, openingShare, shortenOpening } from "./opening.ts";
import { coreOf } from "./plain-turns.ts";
import type { PlainTurn } from "./plain-turns.ts";
import { cleared, shortened } from "./propose-results.ts";
import { keptItems, readPlainTurns } from "./read-plain-turns.ts";
import { takeShortened } from "./refill.ts";
import { editedForm, takeForm } from "./run-steps.ts";
import { longestMessage } from "./shorten-messages.ts";
import { currentEntry, sizeOf } from "./working-plan.ts";
import type { Because, WorkingItem, WorkingPlan } from "./working-plan.ts";

/** A cut of older turns while it is made. */
interface Cut {
  readonly draft: WorkingPlan;
  readonly context: FitContext;
  /** Oldest first. */
  readonly turns: readonly PlainTurn[];
  /** All of them but the one that is being answered. */
  readonly old: readonly PlainTurn[];
  /** The first turn of the history, where it is kept. */
  readonly opening: PlainTurn | undefined;
}

/**
 * Makes the cut that the default steps make of plain turns, in a fraction of the work: most cuts are of such. Property tests hold it to what the
 * steps decide.
 *
 * @returns Nothing where the steps must decide: what stands there is not plain, something is too large, or older turns do not give enough.
 */
export function* cutPlainTurns(
  continuation: Continuation,
  context: FitContext,
): MaybeAsync<{ readonly draft: WorkingPlan; readonly kept: readonly WorkingItem[] } | undefined> {
  const { steps, scorer } = context.options;
  const isKnown = continuation.isIdentical && !continuation.isReopened;
  if (!isKnown || steps !== undefined || scorer !== undefined) return undefined;
  try {
    const read = readPlainTurns(continuation, context);
    if (read === undefined) return undefined;
    const { draft, turns } = read;
    const old = turns.slice(0, -1);
    if (draft.total <= context.cutAbove || hasLarge(draft.items, context)) return undefined;
    const cut = { draft, context, turns, old, opening: openingOf(draft, old, context) };
    const rounds = roundsOf(old);
    const together = rounds.reduce((sum, { tokens }) => sum + tokens, 0);
    // Where all rounds are not enough, what they would be reduced to matters of few.
    const isLong = draft.total - together > context.lowTarget;
    const isDone = yield* isLong ? dropTurns(cut, rounds) : reduceRounds(cut, rounds);
    throwIfAborted(context.options.signal);
    return isDone && draft.total <= context.lowTarget
      ? { draft, kept: keptItems(draft) }
      : undefined;
  } catch (error) {
    if (isHistoryError(error)) throw error;
    // What cannot be read or edited, the steps report.
    return undefined;
  }
}

/** Returns whether a result, the newest entry or an old message has more than its share. */
function hasLarge(items: readonly WorkingItem[], { maxResultTokens, budget }: FitContext): boolean {
  const most = longestMessage(budget, MESSAGE_SHARE);
  for (const { heading, tokens, isOfThisTurn, protectedAs } of items) {
    const isRound = heading?.type === "action";
    if (isRound && tokens > maxResultTokens) return true;
    if (!isRound && tokens > most && !isOfThisTurn && protectedAs === undefined) return true;
  }
  return (items.at(-1)?.tokens ?? 0) > maxResultTokens;
}

/** Finds the turn with which the history begins, where its request and answer are held back. */
function openingOf(
  { entries }: WorkingPlan,
  [first]: readonly PlainTurn[],
  { options }: FitContext,
): PlainTurn | undefined {
  const [request] = first?.requests ?? [];
  if (request === undefined) return undefined;
  // Looks back to the request before, which stands near; whether the history has calls is asked of all of it.
  for (let index = request.position - 1; index >= 0; index--) {
    if (entries[index]?.type === "user_message") return undefined;
  }
  return openingShare(entries, options) > 0 ? first : undefined;
}

/** Drops all rounds, then turns, oldest first, until there is room; then keeps what of the rounds fits after all, and of the last turn as much as does. */
function* dropTurns(cut: Cut, rounds: readonly WorkingItem[]): MaybeAsync<boolean> {
  const { draft, context, old, opening } = cut;
  const { lowTarget: target } = context;
  for (const round of rounds) dropItem(draft, round, DROPPED_WITH_TURN);
  let edge: PlainTurn | undefined;
  for (const turn of old) {
    if (draft.total <= target) break;
    if (turn === opening) {
      if (!(yield* holdOpening(cut, turn, DROPPED_WITH_TURN))) return false;
      continue;
    }
    for (const item of coreOf(turn)) dropItem(draft, item, DROPPED_WITH_TURN);
    edge = turn;
  }
  if (edge === undefined) return false;
  for (const round of roundsOf(old.slice(old.indexOf(edge) + 1)).toReversed()) {
    if (draft.total + leastOf(round) > target) continue;
    for (const reduction of REDUCTIONS) reduceRound(cut, round, reduction, -Infinity);
    if (draft.total + round.tokens <= target) takeBack(draft, round);
  }
  yield* takeShortened({ draft, context }, coreOf(edge), target - draft.total);
  return true;
}

/** Reduces results, oldest first, then drops rounds, until there is room; then keeps what fits after all. */
function* reduceRounds(cut: Cut, rounds: readonly WorkingItem[]): MaybeAsync<boolean> {
  const { draft, context, turns, old, opening } = cut;
  const { lowTarget: target } = context;
  for (const reduction of REDUCTIONS) {
    for (const round of rounds) reduceRound(cut, round, reduction, target);
  }
  for (const round of rounds) {
    if (draft.total > target) dropItem(draft, round, DROPPED_WITH_TURN);
  }
  const isHeld = opening !== undefined && isBeforeGap(opening, turns[1]);
  if (isHeld) {
    const isBare = opening.rounds.every(({ isDropped }) => isDropped);
    if (!isBare || !(yield* holdOpening(cut, opening, BEFORE_GAP))) return false;
  }
  for (const round of roundsOf(isHeld ? old.slice(1) : old).toReversed()) {
    if (round.isDropped && draft.total + round.tokens <= target) takeBack(draft, round);
  }
  return true;
}

function roundsOf(turns: readonly PlainTurn[]): readonly WorkingItem[] {
  return turns.flatMap(({ rounds }) => rounds);
}

/** How results of older turns are reduced, least destructive first. */
const REDUCTIONS = [
  {
    because: SHORTENED,
    editOf: (result: ObservationEntry): EntryEdit | undefined =>
      shortened(result, SHORTENED_LENGTH),
  },
  { because: CLEARED, editOf: cleared },
] as const;

/** Reduces the results of a round, one after the other, while more is used than there may be. */
function reduceRound(
  { draft, context }: Cut,
  round: WorkingItem,
  { because, editOf }: (typeof REDUCTIONS)[number],
  most: number,
): void {
  for (const entry of round.entries) {
    if (draft.total <= most) return;
    // Of what is cleared nothing is left to give.
    const isCleared = round.edits?.get(entry)?.edit.clear === true;
    if (entry.type !== "observation" || isCleared) continue;
    const current = currentEntry(round, entry);
    const edit = current.type === "observation" ? editOf(current) : undefined;
    const form = edit && editedForm(round, entry, edit);
    if (form === undefined) continue;
    const size = context.countNow(form.entry);
    // What was read was counted at once: what must be waited for now, the steps wait for.
    if (size === undefined) throw new TypeError("The counter became asynchronous.");
    takeForm(draft, round, entry, { edit: form.edit, because, size });
  }
}

/** Tokens that are left of a round in any case: those of its calls. */
function leastOf(round: WorkingItem): number {
  let least = 0;
  for (const entry of round.entries) if (entry.type === "action") least += sizeOf(round, entry);
  return least;
}

/** Returns whether something is gone between a turn and the next. */
function isBeforeGap(turn: PlainTurn, next: PlainTurn | undefined): boolean {
  const last = coreOf(turn).at(-1);
  return last === undefined || next?.requests[0]?.position !== last.position + 1;
}

/** Shortens the opening to its share; tells whether that can be. */
function* holdOpening(
  { draft, context }: Cut,
  opening: PlainTurn,
  because: Because,
): MaybeAsync<boolean> {
  const core = coreOf(opening);
  return yield* shortenOpening({ draft, context }, core, because);
}
