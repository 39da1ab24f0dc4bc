import { GLOBAL_OBSERVATION, OBSERVATION, citedSources } from "@agent-history/core";
import type { HistoryQuery, Source } from "@agent-history/core";

import type { CallOptions } from "../history-manager.ts";
import type { ManagedThread } from "./managed-thread.ts";
import { FIRST_RECALLED, entryOfNumber } from "./recall-numbers.ts";
import { originalText } from "./recall-originals.ts";
import { excerptSource } from "./recall-quote.ts";
import type { StateThread } from "./thread-state.ts";

const RESULTS: HistoryQuery = {
  clauses: [{ types: [OBSERVATION, GLOBAL_OBSERVATION] }],
};

/** Finds the sources that a text cites, in the order it cites them. */
export async function findSources(
  { options: { store, threadId } }: ManagedThread,
  text: string,
  { signal }: CallOptions = {},
): Promise<readonly Source[]> {
  const numbers = citedSources(text);
  if (numbers.length === 0) return [];
  const options = { query: RESULTS, originals: true, ...(signal && { signal }) };
  const { entries } = await store.read(threadId, options);
  const found = new Map<number, Source>();
  for (const entry of entries) {
    if (entry.type !== OBSERVATION && entry.type !== GLOBAL_OBSERVATION) continue;
    for (const source of entry.sources ?? [])
      if (!found.has(source.number)) found.set(source.number, source);
  }
  for (const number of numbers) {
    if (number < FIRST_RECALLED || found.has(number)) continue;
    const source = await recalledSource({ store, threadId, signal }, number);
    if (source !== undefined) found.set(number, source);
  }
  return numbers.flatMap((number) => found.get(number) ?? []);
}

/** The whole entry that a recall tool quoted under this number. */
async function recalledSource(thread: StateThread, number: number): Promise<Source | undefined> {
  const { store, threadId, signal } = thread;
  const id = await entryOfNumber(thread, number);
  if (id === undefined) return undefined;
  const query = { clauses: [{ ids: [id] }] };
  const { entries } = await store.read(threadId, {
    query,
    originals: true,
    ...(signal && { signal }),
  });
  const [entry] = entries;
  if (entry === undefined) return undefined;
  const text = originalText(entry, new Set());
  return excerptSource({ entry, number, text, from: 0, to: text.length });
}
