import type { HistoryEntry } from "@agent-history/core";

/** Up to this many, comparing each with each is faster than a set. */
const FEW = 8;

/** Returns whether the entries from an index on have an id each of their own. */
export function haveDistinctIds(entries: readonly HistoryEntry[], from: number): boolean {
  if (entries.length - from > FEW) {
    const ids = new Set<string | undefined>();
    for (let index = from; index < entries.length; index++) ids.add(entries[index]?.id);
    return ids.size === entries.length - from;
  }
  for (let index = from; index < entries.length; index++) {
    for (let other = index + 1; other < entries.length; other++) {
      if (entries[index]?.id === entries[other]?.id) return false;
    }
  }
  return true;
}
