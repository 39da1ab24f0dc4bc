import { GLOBAL_OBSERVATION, OBSERVATION, citedSources } from "@agent-history/core";
import type { HistoryQuery, Source } from "@agent-history/core";

import type { CallOptions } from "../history-manager.ts";
import type { ManagedThread } from "./managed-thread.ts";

const RESULTS: HistoryQuery = {
  clauses: [{ types: [OBSERVATION, GLOBAL_OBSERVATION] }],
  splitExchanges: true,
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
  return numbers.flatMap((number) => found.get(number) ?? []);
}
