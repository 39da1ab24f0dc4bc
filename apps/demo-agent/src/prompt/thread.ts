import type { HistoryEntry, HistoryQuery, HistoryStore } from "@agent-history/core";

import { estimateTokens } from "./estimate-tokens.ts";

/** One thread of a store, as the team works with it. */
export interface Thread {
  /** Keeps entries, in order, and tells who listens. */
  readonly append: (...entries: readonly HistoryEntry[]) => Promise<void>;
  readonly read: (query: HistoryQuery, signal?: AbortSignal) => Promise<readonly HistoryEntry[]>;
  /** An estimate: the tokens of everything in it. */
  readonly estimatedTokens: number;
}

/** What {@link openThread} opens. */
export interface ThreadOptions {
  readonly store: HistoryStore;
  readonly threadId: string;
  readonly onEntry: (entry: HistoryEntry) => void;
  readonly signal?: AbortSignal;
}

/** Opens a thread and gives what it holds already. */
export async function openThread(
  options: ThreadOptions,
): Promise<{ readonly thread: Thread; readonly entries: readonly HistoryEntry[] }> {
  const { store, threadId, onEntry, signal: openingSignal } = options;
  const { entries } = await store.read(threadId, openingSignal && { signal: openingSignal });
  let tokens = estimateTokens(entries);
  const thread: Thread = {
    append: async (...added) => {
      await store.append(threadId, added);
      tokens += estimateTokens(added);
      added.forEach(onEntry);
    },
    read: async (query, signal) =>
      (await store.read(threadId, { query, ...(signal && { signal }) })).entries,
    get estimatedTokens() {
      return tokens;
    },
  };
  return { thread, entries };
}
