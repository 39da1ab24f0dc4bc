import type { HistoryEntry } from "@agent-history/core";

import { editEntry } from "../edit-entry.ts";
import { capEdit, capResult, tokensIfOver } from "./cap-results.ts";
import { isMessage } from "./choose-by-worth.ts";
import type { FitContext } from "./fit-context.ts";
import type { MaybeAsync } from "./maybe-async.ts";
import { headAndTail } from "./propose-results.ts";
import { isEditable } from "./run-steps.ts";
import { textOfEntry } from "./text-of-entry.ts";
import { addSize, isOpen, setEdit, setSize, sizeOf } from "./working-plan.ts";
import type { Guess, WorkingPlan, WorkingItem } from "./working-plan.ts";

/** Shorter ones are counted. */
const LONG_TEXT = 512;
/** Of longer results the ends are counted, in characters: as much as is left of an old one. */
const LONG_RESULT = 2000;
const ENDS = 1000;

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
  item.counted = 0;
  for (const entry of item.entries) {
    takeGuess(item, entry, { tokens: Math.ceil(perCharacter * lengthOf([entry])), least: 0 });
  }
}

/** Guesses the tokens of a text by those of its ends, where it is much longer than a prompt shows of it. */
export function* guessEntry(
  entry: HistoryEntry,
  { budget, count }: FitContext,
): MaybeAsync<Guess | undefined> {
  const length = entry.pinned === true ? 0 : lengthOf([entry]);
  const isLong = length > Math.max(LONG_RESULT, entry.type === "observation" ? 0 : budget);
  const ends = isLong ? editEntry(entry, headAndTail(ENDS)) : entry;
  if (ends === entry) return undefined;
  const least = yield* count(ends);
  return { tokens: Math.ceil((least * length) / lengthOf([ends])), least };
}

/** Guesses the tokens of an entry of an item, where it is long and may be shortened; tells whether it did. */
export function* guessText(
  item: WorkingItem,
  entry: HistoryEntry,
  context: FitContext,
): MaybeAsync<boolean> {
  const guess = isEditable(item, entry) ? yield* guessEntry(entry, context) : undefined;
  if (guess === undefined) return false;
  takeGuess(item, entry, guess, context.maxResultTokens);
  return true;
}

function takeGuess(item: WorkingItem, entry: HistoryEntry, guess: Guess, most = Infinity): void {
  const isLarger = guess.tokens > most && entry.type === "observation";
  const made = isLarger ? capEdit(entry, most / guess.tokens) : undefined;
  item.guesses ??= new Map();
  item.guesses.set(entry, made === undefined ? guess : { ...guess, edit: made.edit });
  if (made !== undefined) setEdit(item, entry, made);
  const size = isLarger ? most : guess.tokens;
  item.counted = (item.counted ?? 0) + guess.tokens;
  addSize(item, entry, size);
}

/** Counts what was guessed and stays; tells whether there was any. */
export function* countGuessed(draft: WorkingPlan, context: FitContext): MaybeAsync<boolean> {
  let isAny = false;
  for (const item of draft.items) {
    if (item.isDropped || item.guesses === undefined) continue;
    if (yield* countItemGuesses(item, draft, context)) isAny = true;
  }
  return isAny;
}

/** Counts what was guessed, newest first, until what is known has no room: by guesses alone nothing is too large. */
export function* countUntilOver(draft: WorkingPlan, context: FitContext): MaybeAsync<void> {
  if (draft.items.every(({ guesses }) => guesses === undefined)) return;
  let known = draft.total;
  for (const item of draft.items) if (!item.isDropped) known += knownTokens(item) - item.tokens;
  for (const item of draft.items.toReversed()) {
    if (known > context.cutAbove) return;
    if (item.isDropped) continue;
    known -= knownTokens(item);
    for (const [entry, guess] of item.guesses ?? []) {
      const room = context.cutAbove - known;
      const isLarge = isOpen(item, entry) && guess.edit === undefined && guess.tokens > room;
      if (isLarge && (yield* tokensIfOver(entry, guess, room, context)) !== undefined) return;
    }
    yield* countItemGuesses(item, draft, context);
    known += item.tokens;
  }
}

/** What is known of the tokens of an item: of what is guessed, the least. */
export function knownTokens(item: WorkingItem, isTaken = false): number {
  let known = item.tokens;
  for (const [entry, { least }] of item.guesses ?? []) {
    const size = sizeOf(item, entry);
    if (isOpen(item, entry) && !(isTaken && least === 0)) known += Math.min(least, size) - size;
  }
  return known;
}

function* countItemGuesses(
  item: WorkingItem,
  draft: WorkingPlan,
  context: FitContext,
): MaybeAsync<boolean> {
  let isAny = false;
  for (const [entry, guess] of item.guesses ?? []) {
    if (!isOpen(item, entry) || guess.isTooLarge === true) continue;
    if (yield* isTooLarge(item, entry, context)) continue;
    isAny = true;
    const { edit, ...rest } = guess;
    if (edit !== undefined) {
      item.edits?.delete(entry);
      item.guesses?.set(entry, rest);
      const over = yield* tokensIfOver(entry, guess, context.maxResultTokens, context);
      if (over !== undefined) {
        setSize(draft, item, entry, over);
        yield* capResult(item, entry, { draft, context });
      }
      if (item.edits?.has(entry) === true) continue;
    }
    const tokens = yield* context.count(entry);
    item.guesses?.delete(entry);
    item.counted = (item.counted ?? 0) + tokens - guess.tokens;
    setSize(draft, item, entry, tokens);
    yield* capResult(item, entry, { draft, context });
  }
  return isAny;
}

/** Returns whether a text has no room in any prompt, and notes it: it need not be counted, since it will be shortened or dropped. */
function* isTooLarge(
  item: WorkingItem,
  entry: HistoryEntry,
  context: FitContext,
): MaybeAsync<boolean> {
  const guess = item.guesses?.get(entry);
  if (guess === undefined || guess.edit !== undefined) return false;
  if (guess.tokens <= 2 * context.budget) return false;
  if ((yield* tokensIfOver(entry, guess, context.budget, context)) === undefined) return false;
  item.guesses?.set(entry, { ...guess, isTooLarge: true });
  return true;
}

function lengthOf(entries: readonly HistoryEntry[]): number {
  return entries.reduce((sum, entry) => sum + textOfEntry(entry).length, 0);
}
