import { HistoryError } from "@agent-history/core";
import type { ExpectedVersion } from "@agent-history/core";

/** Says that a thread has a tombstone. */
export function threadDeleted(): HistoryError {
  return new HistoryError("This thread was deleted. Begin another under a new id.", {
    code: "THREAD_DELETED",
  });
}

/** Says that there is no thread. */
export function threadMissing(): HistoryError {
  return new HistoryError("There is no thread with this id. Append to it first.", {
    code: "NOT_FOUND",
  });
}

/** Says that something moved on since the caller read it. */
export function conflict(what: string, expected: ExpectedVersion, actual: number): HistoryError {
  return new HistoryError(
    `Expected the ${what} to be ${expected}, but it is ${actual}. Read what is new, then write again.`,
    { code: "VERSION_CONFLICT", details: { expected, actual } },
  );
}

/** Says that the keys of a thread disagree: one was evicted, or is another program's. */
export function threadCorrupt(reason: string): HistoryError {
  return new HistoryError(
    `Expected the keys of the thread to agree (${reason}). Nothing was written. Was one evicted, or written by another program? Call \`verify\`.`,
    { code: "THREAD_CORRUPT", details: { reason } },
  );
}

/** Says that the server knows less of a thread than this handle has seen. */
export function historyRewound(seen: number, found: number): HistoryError {
  return new HistoryError(
    `This thread was at version ${seen}, and the server now has another history of it, at version ${found}: it lost acknowledged writes, as a failover or a restored backup does. Nothing was written. Read the thread again, and send again what is missing.`,
    { code: "HISTORY_REWOUND", details: { expected: seen, actual: found } },
  );
}

/** Refuses a verb of a store that was closed. */
export function storeClosed(): HistoryError {
  return new HistoryError("The store was closed. Nothing was sent. Make another one.", {
    code: "STORE_UNAVAILABLE",
    details: { outcome: "not-sent", reason: "closed" },
  });
}
