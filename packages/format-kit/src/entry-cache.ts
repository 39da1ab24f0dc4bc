import type { HistoryEntry } from "@agent-history/core";

import { sameEntries } from "./same-entries.ts";

/** Remembers by message object which entries a message became. Holds messages weakly. */
export interface EntryCache {
  /** Gives the entries that this message object became before, where it says the same still: what a counter knows by object holds. */
  readonly recall: (message: unknown, entries: readonly HistoryEntry[]) => readonly HistoryEntry[];
}

/** Makes an empty cache: one for each format. */
export function entryCache(): EntryCache {
  const entriesOf = new WeakMap<object, readonly HistoryEntry[]>();
  return {
    recall: (message, entries) => {
      if (typeof message !== "object" || message === null) return entries;
      const known = entriesOf.get(message);
      if (known !== undefined && sameEntries(known, entries)) return known;
      entriesOf.set(message, entries);
      return entries;
    },
  };
}
