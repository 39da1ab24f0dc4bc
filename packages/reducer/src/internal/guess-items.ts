import type { HistoryEntry } from "@agent-history/core";

import { isMessage } from "./choose-by-worth.ts";
import type { FitContext } from "./fit-context.ts";
import type { MaybeAsync } from "./maybe-async.ts";
import { textOfEntry } from "./text-of-entry.ts";
import type { WorkingPlan, WorkingItem } from "./working-plan.ts";

/** Shorter ones are counted. */
const LONG_TEXT = 512;

/** Returns whether an item need not be counted while it is only a part of a turn: long messages that most likely become a line. */
export function mayGuess({ score, entries }: WorkingItem): boolean {
  return (
    score !== undefined &&
    entries.every((entry) => isMessage(entry) && textOfEntry(entry).length >= LONG_TEXT)
  );
}

/** Guesses the tokens of an item by those of another that was counted. */
export function guessItem(item: WorkingItem, like: WorkingItem): void {
  const perCharacter = (like.counted ?? 0) / Math.max(1, lengthOf(like.entries));
  item.guesses = new Map();
  item.counted = 0;
  for (const entry of item.entries) {
    const tokens = Math.ceil(perCharacter * lengthOf([entry]));
    item.guesses.set(entry, tokens);
    item.sizes.set(entry, tokens);
    item.counted += tokens;
    item.tokens += tokens;
  }
}

/** Counts what was guessed and stays as it came; tells whether there was any. */
export function* countGuessed(draft: WorkingPlan, context: FitContext): MaybeAsync<boolean> {
  let isAny = false;
  for (const item of draft.items) {
    if (!item.isDropped && (yield* countItemGuesses(item, draft, context))) isAny = true;
  }
  return isAny;
}

/** Counts what was guessed, newest first, until what is counted alone has no room: by guesses alone nothing is too large. */
export function* countUntilOver(draft: WorkingPlan, context: FitContext): MaybeAsync<void> {
  let counted = draft.total;
  for (const item of draft.items) if (isGuessed(item)) counted -= item.tokens;
  for (const item of draft.items.toReversed()) {
    if (counted > context.budget) return;
    if (!isGuessed(item)) continue;
    yield* countItemGuesses(item, draft, context);
    counted += item.tokens;
  }
}

function isGuessed({ isDropped, guesses }: WorkingItem): boolean {
  return !isDropped && guesses !== undefined && guesses.size > 0;
}

function* countItemGuesses(
  item: WorkingItem,
  draft: WorkingPlan,
  { count }: FitContext,
): MaybeAsync<boolean> {
  let isAny = false;
  for (const [entry, guess] of item.guesses ?? []) {
    if (item.edits.has(entry)) continue;
    const tokens = yield* count(entry);
    const more = tokens - (item.sizes.get(entry) ?? 0);
    item.guesses?.delete(entry);
    item.sizes.set(entry, tokens);
    item.counted = (item.counted ?? 0) + tokens - guess;
    item.tokens += more;
    draft.total += more;
    isAny = true;
  }
  return isAny;
}

function lengthOf(entries: readonly HistoryEntry[]): number {
  return entries.reduce((sum, entry) => sum + textOfEntry(entry).length, 0);
}
