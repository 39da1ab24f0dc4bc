import { HistoryError, isHistoryError, throwIfAborted } from "@agent-history/core";

import type { Journal } from "../journal-store.ts";
import { countsOf } from "../replaced-entries.ts";
import { newFold, takeRecord } from "./folded-log.ts";
import type { FoldedLog } from "./folded-log.ts";

/** Reads one log, each record once. */
export interface LogReader {
  /** What was read so far. */
  readonly folded: () => FoldedLog;
  /** Reads what is new, and refuses a log that became shorter or cannot be understood. */
  readonly catchUp: (signal: AbortSignal | undefined) => Promise<FoldedLog>;
  /** Reads what is new, and looks for a record that was just written. */
  readonly find: (text: string) => Promise<OwnRecord>;
  /** Reads all of it with the next call. */
  readonly forget: () => void;
}

/** What became of the record that a writer looks for. */
export type OwnRecord = "counts" | "refused" | "missing";

/** Begins without having read anything. */
export function logReader(journal: Journal, name: string): LogReader {
  let folded = newFold();
  let seen = 0;

  async function readOn(signal: AbortSignal | undefined, own?: string): Promise<OwnRecord> {
    const fold = folded;
    const isFirst = fold.count === 0;
    let outcome: OwnRecord = "missing";
    let isSame = isFirst;
    for await (const text of await journal.read(name, isFirst ? 0 : fold.count - 1)) {
      throwIfAborted(signal);
      if (isSame) {
        const counts = takeRecord(fold, text);
        if (text === own) outcome = counts ? "counts" : "refused";
      } else if (text === fold.last) isSame = true;
      else break;
    }
    if (isSame) return outcome;
    // Another record in place of the last one: the log was rewritten.
    folded = newFold();
    return readOn(signal, own);
  }

  return {
    folded: () => folded,
    catchUp: async (signal) => {
      throwIfAborted(signal);
      await reach(readOn(signal), "STORE_UNAVAILABLE");
      const { tables, problems } = folded;
      const version = tables.isDeleted ? seen : countsOf(tables.head).version;
      if (version < seen) throw rewound(seen, version);
      if (problems.length > 0 && !tables.exists) throw corrupt();
      seen = version;
      return folded;
    },
    find: async (text) => {
      const outcome = await reach(readOn(undefined, text), "OUTCOME_UNKNOWN");
      if (outcome === "counts") seen = countsOf(folded.tables.head).version;
      return outcome;
    },
    forget: () => {
      folded = newFold();
    },
  };
}

/** What a journal throws arrives under our code. */
export async function reach<Result>(
  call: Promise<Result> | Result,
  code: "STORE_UNAVAILABLE" | "OUTCOME_UNKNOWN",
): Promise<Result> {
  try {
    return await call;
  } catch (cause) {
    if (isHistoryError(cause)) throw cause;
    throw failed(code, cause);
  }
}

/** Says that a log did not answer. */
export function failed(
  code: "STORE_UNAVAILABLE" | "OUTCOME_UNKNOWN",
  cause?: unknown,
): HistoryError {
  return code === "STORE_UNAVAILABLE"
    ? new HistoryError("The log could not be read. Nothing was written; try again.", {
        code,
        details: { outcome: "not-sent" },
        cause,
      })
    : new HistoryError(
        "The record was not found in the log after it was written. Send the same ids again.",
        { code, details: { outcome: "unknown" }, cause },
      );
}

function rewound(expected: number, actual: number): HistoryError {
  return new HistoryError(
    `The thread is at version ${actual}; this handle has seen ${expected}. The log was replaced by an older one. Open another handle to continue from there.`,
    { code: "HISTORY_REWOUND", details: { expected, actual } },
  );
}

function corrupt(): HistoryError {
  return new HistoryError(
    "Expected the log of the thread to begin with what this package wrote. Nothing was written; restore a backup.",
    { code: "THREAD_CORRUPT", details: { reason: "log" } },
  );
}
