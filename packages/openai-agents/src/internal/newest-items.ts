import type { HistoryStore, JsonObject } from "@agent-history/core";

import { itemOf, readLog } from "./session-log.ts";

/** Operations stand between items: somewhat more than are wanted is read at once. */
const SPARE = 20;

/** The items of a thread, or the newest of them, oldest first. */
export async function newestItems(
  store: HistoryStore,
  threadId: string,
  limit: number | undefined,
): Promise<readonly JsonObject[]> {
  if (limit === undefined) return (await readLog(store, threadId)).items.map(({ item }) => item);
  if (!(limit > 0)) return [];
  for (let maxEntries = 2 * Math.ceil(limit) + SPARE; ; maxEntries *= 4) {
    const query = { clauses: [{}], maxEntries, splitExchanges: true };
    const { entries } = await store.read(threadId, { query, originals: true });
    const items = entries.map(itemOf).filter((item) => item !== undefined);
    if (items.length >= limit || entries.length < maxEntries) return items.slice(-Math.ceil(limit));
  }
}
