import { isHistoryError } from "@agent-history/core";
import type { HistoryStore } from "@agent-history/core";

import { partsOfThread } from "./session-thread.ts";

const AT_ONCE = 20;

/** When each session was last written to; one that is deleted meanwhile is left out. */
export async function sessionTimes(
  store: HistoryStore,
  threads: readonly string[],
): Promise<{ sessionId: string; mtime: number }[]> {
  const times: { sessionId: string; mtime: number }[] = [];
  for (let from = 0; from < threads.length; from += AT_ONCE) {
    const some = threads.slice(from, from + AT_ONCE);
    const found = await Promise.all(some.map((threadId) => lastWrite(store, threadId)));
    for (const [index, mtime] of found.entries()) {
      const { sessionId } = partsOfThread(some[index] ?? "");
      if (mtime !== undefined) times.push({ sessionId, mtime });
    }
  }
  return times;
}

async function lastWrite(store: HistoryStore, threadId: string): Promise<number | undefined> {
  const query = { clauses: [{}], maxEntries: 1 };
  try {
    const { entries } = await store.read(threadId, { query, originals: true });
    return entries.at(-1)?.createdAtMs;
  } catch (error) {
    if (isHistoryError(error, "THREAD_DELETED")) return undefined;
    throw error;
  }
}
