import type { EntryEdit, HistoryEntry } from "@agent-history/core";

import { editEntry } from "../edit-entry.ts";
import type { FitContext } from "./fit-context.ts";
import type { MaybeAsync } from "./maybe-async.ts";
import { headAndTail } from "./propose-results.ts";
import { textOfEntry } from "./text-of-entry.ts";
import { setEdit, setSize } from "./working-plan.ts";
import type { Because, WorkingPlan, WorkingItem } from "./working-plan.ts";

/** To what some items are shortened, and why. */
interface Limits {
  /** Tokens that they may have together. */
  readonly room: number;
  /** The share of their tokens that must remain, from 0 to 1. Default 0. */
  readonly leastShare?: number;
  /** How much of each text must remain, in UTF-16 code units. Default 0. */
  readonly leastCharacters?: number;
  readonly because: Because;
}

const TRIES = 6;

/**
 * Makes items as long as there is room, but no longer than they came: the longest are shortened first, by head and tail.
 *
 * @returns Whether they have room now; otherwise they are as they were.
 */
export function* shortenItems(
  { draft, context }: { readonly draft: WorkingPlan; readonly context: FitContext },
  items: readonly WorkingItem[],
  { room, leastShare = 0, leastCharacters = 0, because }: Limits,
): MaybeAsync<boolean> {
  const texts = items.flatMap((item) => item.entries.map((entry) => ({ item, entry })));
  const lengths = texts.map(({ entry }) => textOfEntry(entry).length);
  const length = lengths.reduce((sum, one) => sum + one, 0);
  const whole = items.reduce((sum, { counted = 0 }) => sum + counted, 0);
  let share = Math.min(1, room / whole);
  for (let tries = 1; tries <= TRIES && share >= leastShare; tries++) {
    // In the end markers alone.
    if (tries === TRIES) share = 0;
    const characters = share === 1 ? Infinity : levelOf(lengths, length * share);
    if (characters < leastCharacters) return false;
    const sizes: number[] = [];
    let total = 0;
    for (const { item, entry } of texts) {
      sizes.push(yield* context.count(editEntry(entry, editOf(item, entry, characters))));
      total += sizes.at(-1) ?? 0;
    }
    if (total > room) {
      share *= Math.min(0.95, (room / total) * 0.97);
      continue;
    }
    if (total < whole * leastShare) return false;
    for (const [nth, { item, entry }] of texts.entries()) {
      const edit = editOf(item, entry, characters);
      if (editEntry(entry, edit) === entry) item.edits?.delete(entry);
      else setEdit(item, entry, { edit, because });
      setSize(draft, item, entry, sizes[nth] ?? 0);
    }
    return true;
  }
  return false;
}

function editOf(item: WorkingItem, entry: HistoryEntry, characters: number): EntryEdit {
  const { text, ...edit } = item.edits?.get(entry)?.edit ?? {};
  return characters === Infinity ? edit : { ...edit, ...headAndTail(characters) };
}

/** Returns the length to which the longest are cut, so that all have this many together. */
function levelOf(lengths: readonly number[], together: number): number {
  let left = together;
  const ascending = lengths.toSorted((one, other) => one - other);
  for (const [index, length] of ascending.entries()) {
    const level = left / (ascending.length - index);
    if (length >= level) return Math.max(0, Math.floor(level));
    left -= length;
  }
  return Infinity;
}
