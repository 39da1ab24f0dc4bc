import type { HistoryEntry, HistoryQuery, HistoryStore } from "@agent-history/core";

import { countTokens } from "./count-tokens.ts";

/** One thread of a store, as the team works with it. */
export interface Thread {
  /** Keeps entries, in order, and tells who listens. */
  readonly append: (...entries: readonly HistoryEntry[]) => Promise<void>;
  readonly read: (query: HistoryQuery, signal?: AbortSignal) => Promise<readonly HistoryEntry[]>;
  /** The tokens of everything in it. */
  readonly tokens: number;
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
  let total = countTokens(entries);
  const thread: Thread = {
    append: async (...added) => {
      await store.append(threadId, added);
      total += countTokens(added);
      added.forEach(onEntry);
    },
    read: async (query, signal) =>
      (await store.read(threadId, { query, ...(signal && { signal }) })).entries,
    get tokens() {
      return total;
    },
  };
  return { thread, entries };
}
