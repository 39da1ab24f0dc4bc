import type { HistoryEntry } from "@agent-history/core";

/** Entries as a store gives them: the same, and not the same objects, so that each message is written anew. */
export function asStored(entries: readonly HistoryEntry[]): readonly HistoryEntry[] {
  return entries.map((entry) => {
    try {
      const { origin, ...said } = entry;
      return origin === undefined ? { ...said } : { ...said, origin: { ...origin } };
    } catch {
      return entry;
    }
  });
}
