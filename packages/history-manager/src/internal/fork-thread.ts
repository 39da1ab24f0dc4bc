import { isHistoryError } from "@agent-history/core";

import type { ManagedThread } from "./managed-thread.ts";

/** Begins a thread with the entries of another up to `at`, and gives its id. */
export async function forkThread(
  { options: { store, threadId, maxRetries = 2 } }: ManagedThread,
  fork: { readonly at: string; readonly as: string; readonly signal?: AbortSignal },
): Promise<string> {
  for (let retries = 0; ; retries++) {
    try {
      return (await store.fork(threadId, fork)).threadId;
    } catch (error) {
      // The fork of a try whose answer was lost.
      if (retries > 0 && isHistoryError(error, "VERSION_CONFLICT")) return `${threadId}/${fork.as}`;
      if (!isHistoryError(error, "OUTCOME_UNKNOWN") || retries >= maxRetries) throw error;
    }
  }
}
