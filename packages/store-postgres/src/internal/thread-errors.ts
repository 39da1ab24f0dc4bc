import { HistoryError } from "@agent-history/core";
import type { ExpectedVersion } from "@agent-history/core";

/** Says that a thread was deleted. */
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

/** Says that the rows of a thread contradict each other. */
export function threadCorrupt(reason: string): HistoryError {
  return new HistoryError(
    `Expected the rows of the thread to agree (${reason}). Nothing was written. Call \`verify\`, and restore a backup.`,
    { code: "THREAD_CORRUPT", details: { reason } },
  );
}

/** Says that others were always faster. */
export function busy(): HistoryError {
  return new HistoryError(
    "Nothing was written: other processes wrote to the thread in between each time. Try again.",
    { code: "STORE_UNAVAILABLE", details: { outcome: "rejected", reason: "contended" } },
  );
}

/** Says that the database knows less of a thread than this handle has seen. */
export function rewound(expected: number, actual: number): HistoryError {
  return new HistoryError(
    `The thread is at version ${actual}; this handle has seen ${expected}. Older data came back, as after a failover or from a backup. Open another handle to continue from there.`,
    { code: "HISTORY_REWOUND", details: { expected, actual } },
  );
}
