import type { HistoryEntry } from "@agent-history/core";

import { sameJson } from "./same-json.ts";

const entryOf = new WeakMap<object, HistoryEntry>();

/** Gives the entry that this message object became before, where it says the same still: what a counter knows by object holds. */
export function recall(message: object, entry: HistoryEntry): HistoryEntry {
  const known = entryOf.get(message);
  if (known !== undefined && sameJson({ ...known, createdAtMs: entry.createdAtMs }, entry))
    return known;
  entryOf.set(message, entry);
  return entry;
}
