import type { HistoryQuery, ReadResult } from "@agent-history/core";

import type { ReadOptions } from "../history-manager.ts";
import type { ManagedThread } from "./managed-thread.ts";

/** Reads the thread as its store does. */
export async function readThread(
  { options: { store, threadId } }: ManagedThread,
  query: HistoryQuery | undefined,
  { originals, signal }: ReadOptions = {},
): Promise<ReadResult> {
  return store.read(threadId, {
    ...(query && { query }),
    ...(originals !== undefined && { originals }),
    ...(signal && { signal }),
  });
}
