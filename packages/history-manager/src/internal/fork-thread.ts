import { isHistoryError } from "@agent-history/core";

import type { CallOptions } from "../history-manager.ts";
import type { ManagedThread } from "./managed-thread.ts";

/** Begins a thread with the entries of another up to `at`, and gives its id. */
export async function forkThread(
  { options: { store, threadId, maxRetries = 2 } }: ManagedThread,
  { at, as, signal }: { readonly at: string; readonly as: string } & CallOptions,
): Promise<string> {
  const fork = { at, as, ...(signal && { signal }) };
  for (let retries = 0; ; retries++) {
    try {
      return (await store.fork(threadId, fork)).threadId;
    } catch (error) {
      // The fork of a try whose answer was lost.
      if (retries > 0 && isHistoryError(error, "VERSION_CONFLICT")) return `${threadId}/${as}`;
      if (!isHistoryError(error, "OUTCOME_UNKNOWN") || retries >= maxRetries) throw error;
    }
  }
}
