import { HistoryError } from "../history-error.ts";
import { throwIfAborted } from "../throw-if-aborted.ts";
import type { MemoryThreads } from "./memory-threads.ts";

/** One handle on the threads of a memory store. */
export interface Handle {
  readonly threads: MemoryThreads;
  isClosed: boolean;
}

/** Returns the threads to a call that may go on. */
export function enter({ threads, isClosed }: Handle, signal?: AbortSignal): MemoryThreads {
  throwIfAborted(signal);
  if (!isClosed) return threads;
  throw new HistoryError("The store is closed. Nothing was done; open another.", {
    code: "STORE_UNAVAILABLE",
    details: { outcome: "not-sent", reason: "closed" },
  });
}
