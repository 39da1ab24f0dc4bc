import { sameJson } from "@agent-history/core";
import type { HistoryEntry, HistoryStore } from "@agent-history/core";

import type { ScopeField } from "./scope-fields.ts";

/**
 * Looks which entries of a batch the thread holds already: the same ids with the same content, kept by an earlier try.
 *
 * @param openOf - The fields of an entry that its caller left out: what the caller gave is compared.
 * @returns The entries as they were kept, by id; nothing where an id stands for something else.
 */
export async function knownEntries(
  thread: {
    readonly store: HistoryStore;
    readonly threadId: string;
    readonly signal: AbortSignal | undefined;
  },
  batch: readonly HistoryEntry[],
  openOf: (entry: HistoryEntry) => readonly ScopeField[] = () => [],
): Promise<ReadonlyMap<string, HistoryEntry> | undefined> {
  const { store, threadId, signal } = thread;
  const query = { clauses: [{ types: [...new Set(batch.map(({ type }) => type))] }] };
  const { entries } = await store.read(threadId, {
    query: { ...query, splitExchanges: true },
    originals: true,
    ...(signal && { signal }),
  });
  const ids = new Set(batch.map(({ id }) => id));
  const known = new Map(entries.filter(({ id }) => ids.has(id)).map((entry) => [entry.id, entry]));
  const isSame = batch.every((entry) => {
    const kept = known.get(entry.id);
    const open = openOf(entry);
    return kept === undefined || sameJson(comparable(kept, open), comparable(entry, open));
  });
  return isSame ? known : undefined;
}

/**
 * An entry without what a second try gives again: its time, the numbers of its sources, and whin a scope fills in.
 */
export function comparable(
  entry: HistoryEntry,
  open: readonly ScopeField[] = [],
): Readonly<Record<string, unknown>> {
  const ignored = new Set<string>(["createdAtMs", ...open]);
  const fields = Object.entries(entry).filter(([name]) => !ignored.has(name));
  const rest = Object.fromEntries(fields);
  if (!("sources" in entry)) return rest;
  return { ...rest, sources: entry.sources?.map(({ number, ...source }) => source) };
}
