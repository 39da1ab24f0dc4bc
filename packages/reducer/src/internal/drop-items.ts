import type { Because, WorkingPlan, WorkingItem } from "./working-plan.ts";

/** Drops an item that may be dropped; with a request or its answer all their unit goes, unless it holds the question. */
export function dropWhole(draft: WorkingPlan, item: WorkingItem, because: Because): void {
  const isAlone = item.mayGoFirst || item.unit.holdsQuestion;
  for (const each of isAlone ? [item] : item.unit.items) {
    if (mayDrop(each)) dropItem(draft, each, because);
  }
}

/** Drops an item. */
export function dropItem(draft: WorkingPlan, item: WorkingItem, because: Because): void {
  item.isDropped = true;
  item.because = because;
  draft.total -= item.tokens;
}

/** Returns whether an item may be dropped now. */
export function mayDrop({ isDropped, protectedAs, held }: WorkingItem): boolean {
  return !isDropped && protectedAs === undefined && held === undefined;
}

/** Takes a dropped item back. */
export function takeBack(draft: WorkingPlan, item: WorkingItem): void {
  item.isDropped = false;
  draft.total += item.tokens;
}

/** Returns whether anything of the history is gone. */
export function isCut({ entries, items }: WorkingPlan): boolean {
  let count = 0;
  for (const item of items) count += item.isDropped ? 0 : item.entries.length;
  return count < entries.length;
}
