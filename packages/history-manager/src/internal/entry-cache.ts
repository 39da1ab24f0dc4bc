import { sameJson } from "@agent-history/core";
import type { HistoryEntry, HistoryStore, ReadResult } from "@agent-history/core";

import type { KeptPrompt } from "./prompt-state.ts";

/** Returns the same object for the same entry, read after read, so that counters and cleaners know it again (L13). */
export interface EntryCache {
  /** The entries as they were remembered, by id, where those say the same. */
  readonly recall: (slot: string, entries: readonly HistoryEntry[]) => readonly HistoryEntry[];
  /** Remembers entries for a slot, and no others of it. */
  readonly keep: (slot: string, kept: CachedEntries) => void;
  /** Remembers nothing of a slot. */
  readonly forget: (slot: string) => void;
  /** What is remembered for a slot. */
  readonly of: (slot: string) => CachedEntries | undefined;
  /** The entry that was made for a slot before, where it says the same. */
  readonly remake: (slot: string, entry: HistoryEntry) => HistoryEntry;
}

/** Entries of a view, in its order. */
export interface CachedEntries {
  readonly entries: readonly HistoryEntry[];
  /** Of the view when they were read. */
  readonly viewRevision: number;
  /** Set where they are all of the view: how it was chosen, and the thread's version. */
  readonly whole?: { readonly shape: string; readonly version: number };
  /** What the slot continues, where it needs none but these entries and what came since. */
  readonly prompt?: KeptPrompt | undefined;
}

/** Of how many prompts of a store the entries are remembered; those of the one asked longest ago are forgotten. */
const MAX_SLOTS = 32;

/** What is remembered of a store. */
interface StoreMemory {
  readonly slots: Map<string, CachedEntries>;
  /** Entries that were made for slots. */
  readonly made: Map<string, HistoryEntry>;
}

/** What was read and made through each handle of a store, so that managers that are made for one turn each know it from the turn before. */
const memoryOf = new WeakMap<HistoryStore, StoreMemory>();

/** Begins a memory of entries that were read of a thread. */
export function entryCache(store: HistoryStore, threadId: string): EntryCache {
  const memory = memoryOf.get(store) ?? { slots: new Map(), made: new Map() };
  memoryOf.set(store, memory);
  const { slots, made } = memory;
  const of = (slot: string): CachedEntries | undefined => slots.get(keyOf(threadId, slot));
  return {
    of,
    recall: (slot, entries) => {
      const known = new Map(of(slot)?.entries.map((entry) => [entry.id, entry]));
      return entries.map((entry) => {
        const before = known.get(entry.id) ?? entry;
        // A summary that was taken back may come again with other words, an id that was replaced, or a thread that was made anew, stand for others.
        return sameJson(before, entry) ? before : entry;
      });
    },
    forget: (slot) => void slots.delete(keyOf(threadId, slot)),
    keep: (slot, kept) => remember(slots, keyOf(threadId, slot), kept),
    remake: (slot, entry) => {
      const key = keyOf(threadId, slot);
      const known = made.get(key);
      const same = known !== undefined && sameJson(known, entry) ? known : entry;
      remember(made, key, same);
      return same;
    },
  };
}

/** Returns whether every entry of a thread is what its id has always stood for: nothing of it was ever replaced. */
export function hasFixedIds({
  version,
  entryCount,
}: Pick<ReadResult, "version" | "entryCount">): boolean {
  return version === entryCount;
}

function keyOf(threadId: string, slot: string): string {
  return JSON.stringify([threadId, slot]);
}

function remember<Value>(slots: Map<string, Value>, slot: string, value: Value): void {
  slots.delete(slot);
  slots.set(slot, value);
  const [oldest] = slots.keys();
  if (slots.size > MAX_SLOTS && oldest !== undefined) slots.delete(oldest);
}
