import { sameJson } from "@agent-history/core";
import type { HistoryEntry } from "@agent-history/core";

/** Returns whether two readings of a message gave the same, but for their time. */
export function sameEntries(
  known: readonly HistoryEntry[],
  entries: readonly HistoryEntry[],
): boolean {
  return (
    known.length === entries.length &&
    known.every((entry, index) => {
      const now = entries[index];
      return now !== undefined && sameJson({ ...entry, createdAtMs: now.createdAtMs }, now);
    })
  );
}
