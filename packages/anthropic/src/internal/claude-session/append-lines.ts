import { isHistoryError, MAX_BATCH_BYTES, MAX_QUERY_IDS } from "@agent-history/core";
import type { EntrySources, HistoryStore, OpaqueEntry } from "@agent-history/core";

import { entriesOfLine, idOfLine } from "./session-lines.ts";
import type { ClaudeSessionLine } from "./session-lines.ts";

/** A batch is also what one query asks for, and its bytes are at most six for a character. */
const BATCH_ENTRIES = Math.min(100, MAX_QUERY_IDS);
const BATCH_CHARACTERS = Math.floor(MAX_BATCH_BYTES / 7);

/** Returns what appends lines to a thread, each once: by its uuid, or where an append of the same line object failed, by the id that it was given then. */
export function appendLines(
  store: HistoryStore,
  sources: EntrySources,
): (threadId: string, lines: readonly ClaudeSessionLine[]) => Promise<void> {
  // Whether a failed append was written is not known: the same object again has the same id.
  const tried = new WeakMap<ClaudeSessionLine, string>();
  return async (threadId, lines) => {
    const { newId } = sources;
    const ids = new Set<string>();
    const entries: OpaqueEntry[] = [];
    for (const line of lines) {
      const id = idOfLine(line) ?? tried.get(line) ?? newId?.() ?? `line:${crypto.randomUUID()}`;
      // The same twice in one append.
      if (ids.has(id)) continue;
      ids.add(id);
      tried.set(line, id);
      for (const entry of entriesOfLine(line, id, sources)) entries.push(entry);
    }
    for (const batch of batchesOf(entries)) await appendBatch(store, threadId, batch);
    for (const line of lines) tried.delete(line);
  };
}

/** Writes a batch; where some of it is there, the rest. */
async function appendBatch(
  store: HistoryStore,
  threadId: string,
  batch: readonly OpaqueEntry[],
): Promise<void> {
  try {
    await store.append(threadId, batch);
  } catch (error) {
    if (!isHistoryError(error, "DUPLICATE_ID")) throw error;
    const query = { clauses: [{ ids: batch.map(({ id }) => id) }], splitExchanges: true };
    const { entries } = await store.read(threadId, { query, originals: true });
    const known = new Set(entries.map(({ id }) => id));
    const rest = batch.filter(({ id }) => !known.has(id));
    if (rest.length === batch.length) throw error;
    if (rest.length > 0) await appendBatch(store, threadId, rest);
  }
}

function batchesOf(entries: readonly OpaqueEntry[]): readonly (readonly OpaqueEntry[])[] {
  const batches: OpaqueEntry[][] = [];
  let characters = 0;
  for (const entry of entries) {
    const length = JSON.stringify(entry).length;
    const batch = batches.at(-1);
    characters += length;
    if (batch !== undefined && batch.length < BATCH_ENTRIES && characters <= BATCH_CHARACTERS) {
      batch.push(entry);
      continue;
    }
    batches.push([entry]);
    characters = length;
  }
  return batches;
}
