import { MAX_BATCH_BYTES, MAX_BATCH_ENTRIES } from "@agent-history/core";
import type { HistoryEntry } from "@agent-history/core";

/** Maximum overhead of an entry's stored form, in bytes. */
const ENTRY_BYTES = 16;

/** Splits entries into the fewest batches within the store's limits. Linear. */
export function storeBatches<Entry extends HistoryEntry>(
  entries: readonly Entry[],
  mostEntries: number = MAX_BATCH_ENTRIES,
): readonly (readonly Entry[])[] {
  const encoder = new TextEncoder();
  const batches: Entry[][] = [];
  let bytes = 0;
  for (const entry of entries) {
    const size = encoder.encode(JSON.stringify(entry)).length + ENTRY_BYTES;
    const last = batches.at(-1);
    if (last && last.length < mostEntries && bytes + size <= MAX_BATCH_BYTES) {
      last.push(entry);
      bytes += size;
    } else {
      batches.push([entry]);
      bytes = size;
    }
  }
  return batches;
}
