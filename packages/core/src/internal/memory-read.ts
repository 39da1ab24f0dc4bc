import type { HistoryQuery } from "../history-query.ts";
import type { ReadResult } from "../history-store.ts";
import { selectPage } from "../select-page.ts";
import { tokensOf, viewOfThread } from "./memory-thread.ts";
import type { MemoryThread } from "./memory-thread.ts";

/** Reads a thread: the meaning of `HistoryStore.read`, written down once. */
export function readThread(
  thread: MemoryThread,
  query: HistoryQuery,
  originals: boolean,
): ReadResult {
  const { view } = query;
  const all = originals ? thread.log : viewOfThread(thread, view);
  const { entries, next } = selectPage(all, query);
  return {
    entries: structuredClone(entries),
    tokens: tokensOf(thread, entries),
    problems: [],
    version: thread.log.length,
    epoch: view === undefined ? 0 : (thread.epochs.get(view) ?? 0),
    ...(next !== undefined && { next }),
  };
}
