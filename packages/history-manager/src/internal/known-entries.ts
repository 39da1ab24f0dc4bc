import { sameJson } from "@agent-history/core";
import type { HistoryEntry, HistoryStore } from "@agent-history/core";

/**
 * Looks which entries of a batch the thread holds already: the same ids with the same content, kept by an earlier try.
 *
 * @returns The entries as they were kept, by id; nothing where an id stands for something else.
 */
export async function knownEntries(
  thread: {
    readonly store: HistoryStore;
    readonly threadId: string;
    readonly signal: AbortSignal | undefined;
  },
  batch: readonly HistoryEntry[],
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
    return kept === undefined || sameJson(comparable(kept), comparable(entry));
  });
  return isSame ? known : undefined;
}

/** An entry without what a second try gives anew: its time, and the numbers of its sources. */
function comparable(entry: HistoryEntry): unknown {
  const { createdAtMs, ...rest } = entry;
  if (!("sources" in rest)) return rest;
  return { ...rest, sources: rest.sources?.map(({ number, ...source }) => source) };
}
