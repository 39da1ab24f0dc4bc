import { sameJson } from "@agent-history/core";
import type { HistoryEntry } from "@agent-history/core";

/** Gives the same object for the same entry, read after read, so that counters and cleaners know it again (L13). */
export interface EntryMemory {
  /** The entries as they were read before, by id, where they were. */
  readonly recall: (slot: string, entries: readonly HistoryEntry[]) => readonly HistoryEntry[];
  /** The entry that was made for a slot before, where it says the same. */
  readonly remake: (slot: string, entry: HistoryEntry) => HistoryEntry;
}

/** Of how many prompts the entries are remembered; those of the one asked longest ago are forgotten. */
const MAX_SLOTS = 32;

/** Begins a memory of entries that were read. */
export function entryMemory(): EntryMemory {
  const slots = new Map<string, ReadonlyMap<string, HistoryEntry>>();
  const made = new Map<string, HistoryEntry>();
  return {
    recall: (slot, entries) => {
      const known = slots.get(slot);
      const recalled = entries.map((entry) => {
        const before = known?.get(entry.id) ?? entry;
        // An entry never changes; a summary that was taken back may come again with other words.
        return entry.type !== "summary" || sameJson(before, entry) ? before : entry;
      });
      remember(slots, slot, new Map(recalled.map((entry) => [entry.id, entry])));
      return recalled;
    },
    remake: (slot, entry) => {
      const known = made.get(slot);
      const same = known !== undefined && sameJson(known, entry) ? known : entry;
      remember(made, slot, same);
      return same;
    },
  };
}

function remember<Value>(slots: Map<string, Value>, slot: string, value: Value): void {
  slots.delete(slot);
  slots.set(slot, value);
  const [oldest] = slots.keys();
  if (slots.size > MAX_SLOTS && oldest !== undefined) slots.delete(oldest);
}
