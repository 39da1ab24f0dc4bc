import { citedSources } from "@agent-history/core";
import type { Source } from "@agent-history/core";

import type { CallOptions } from "../history-manager.ts";
import { RESULTS, sourceOfNumber } from "./citation-numbers.ts";
import type { ManagedThread } from "./managed-thread.ts";
import { ENTRY_SOURCE, excerptSource, originalText } from "./recall-quote.ts";

/** Finds the sources that a text cites, in order: sources of results, else entries that a recall tool quoted. */
export async function findSources(
  { options: { store, threadId } }: ManagedThread,
  text: string,
  { signal }: CallOptions = {},
): Promise<readonly Source[]> {
  const numbers = citedSources(text);
  if (numbers.length === 0) return [];
  const options = { originals: true, ...(signal && { signal }) };
  const { entries } = await store.read(threadId, { query: RESULTS, ...options });
  const found = new Map<number, Source>();
  for (const entry of entries) {
    for (const source of ("sources" in entry && entry.sources) || []) {
      if (!found.has(source.number)) found.set(source.number, source);
    }
  }
  for (const number of numbers) {
    const id = found.has(number) ? "" : await sourceOfNumber({ store, threadId, signal }, number);
    if (id?.startsWith(ENTRY_SOURCE) !== true) continue;
    const clauses = [{ ids: [id.slice(ENTRY_SOURCE.length)] }];
    const [entry] = (await store.read(threadId, { query: { clauses }, ...options })).entries;
    if (entry === undefined) continue;
    const whole = originalText(entry, new Set());
    found.set(number, excerptSource({ entry, number, text: whole, from: 0, to: whole.length }));
  }
  return numbers.flatMap((number) => found.get(number) ?? []);
}
