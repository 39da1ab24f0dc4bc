import { HistoryError, throwIfAborted } from "@agent-history/core";
import { requireName } from "@agent-history/core/stored-form";

import type { Journal } from "../journal-store.ts";
import { threadLog } from "./thread-log.ts";
import type { ThreadLog } from "./thread-log.ts";

/** The logs that a handle has in memory. */
export interface JournalLogs {
  /** Refuses a caller that has gone, and any once the handle is closed. */
  readonly enter: (signal: AbortSignal | undefined) => void;
  /** Returns the log of a thread to a call that may go on. */
  readonly open: (threadId: string, signal: AbortSignal | undefined) => ThreadLog;
  /** Waits for what is under way. */
  readonly close: () => Promise<void>;
}

/** How many idle threads stay in memory; those used last. */
const MOST_IDLE = 100;

/** Begins without any. */
export function journalLogs(journal: Journal): JournalLogs {
  const logs = new Map<string, ThreadLog>();
  let isClosed = false;

  function enter(signal: AbortSignal | undefined): void {
    throwIfAborted(signal);
    if (!isClosed) return;
    throw new HistoryError("The store is closed. Nothing was done; open another.", {
      code: "STORE_UNAVAILABLE",
      details: { outcome: "not-sent", reason: "closed" },
    });
  }

  return {
    enter,
    open: (threadId, signal) => {
      enter(signal);
      requireName("threadId", threadId);
      const log = logs.get(threadId) ?? threadLog(journal, threadId);
      logs.delete(threadId);
      logs.set(threadId, log);
      for (const [one, { isBusy }] of logs) {
        if (logs.size <= MOST_IDLE) break;
        if (one !== threadId && !isBusy()) logs.delete(one);
      }
      return log;
    },
    close: async () => {
      isClosed = true;
      await Promise.all([...logs.values()].map(async (log) => log.settled()));
    },
  };
}
