import type { HistoryEntry } from "@agent-history/core";

/** Gives the same object for the same entry, read after read, so that counters and cleaners know it again (L13). */
export interface EntryMemory {
  /** The entries as they were read before, by id, where they were. */
  readonly recall: (slot: string, entries: readonly HistoryEntry[]) => readonly HistoryEntry[];
}

/** Of how many prompts the entries are remembered; those of the one asked longest ago are forgotten. */
const MAX_SLOTS = 32;

/** Begins a memory of entries that were read. */
export function entryMemory(): EntryMemory {
  const slots = new Map<string, ReadonlyMap<string, HistoryEntry>>();
  return {
    recall: (slot, entries) => {
      const known = slots.get(slot);
      const recalled = entries.map((entry) =>
        // An entry never changes; a summary that was taken back may come again with other words.
        entry.type === "summary" ? entry : (known?.get(entry.id) ?? entry),
      );
      slots.delete(slot);
      slots.set(slot, new Map(recalled.map((entry) => [entry.id, entry])));
      const [oldest] = slots.keys();
      if (slots.size > MAX_SLOTS && oldest !== undefined) slots.delete(oldest);
      return recalled;
    },
  };
}
