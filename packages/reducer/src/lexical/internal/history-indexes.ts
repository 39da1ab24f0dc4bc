import type { HistoryEntry } from "@agent-history/core";

import { emptyIndex, extendIndex } from "./history-index.ts";
import type { HistoryIndex } from "./history-index.ts";
import type { EntryReading } from "./read-entry.ts";
import type { Topics } from "./topic-index.ts";

/** Of this many views that begin with the same entry an index is kept. */
const MOST_INDEXES = 8;

/**
 * Makes a function that gives the index of a history. An entry is read once, and a history that grew is indexed from where
 * it ended. Both are remembered weakly, indexes by the first entry: with it they go. Views that begin with the same entry have an index each, the
 * last few of them.
 */
export function historyIndexes(
  read: (entry: HistoryEntry) => EntryReading,
  topics: Topics,
): (entries: readonly HistoryEntry[]) => HistoryIndex {
  const readings = new WeakMap<HistoryEntry, EntryReading>();
  const indexes = new WeakMap<HistoryEntry, readonly HistoryIndex[]>();

  return (entries) => {
    const [first] = entries;
    if (first === undefined) return emptyIndex();
    const known = indexes.get(first) ?? [];
    const index = known.find((one) => begins(one, entries)) ?? emptyIndex();
    const others = known.filter((one) => one !== index);
    indexes.set(first, [index, ...others.slice(0, MOST_INDEXES - 1)]);
    for (const entry of entries.slice(index.entries.length)) {
      const reading = readings.get(entry) ?? read(entry);
      readings.set(entry, reading);
      extendIndex(index, entry, reading, topics);
    }
    return index;
  };
}

/** Returns whether what is indexed is how the history begins. */
function begins(index: HistoryIndex, entries: readonly HistoryEntry[]): boolean {
  return index.entries.every(({ entry }, position) => entry === entries[position]);
}
