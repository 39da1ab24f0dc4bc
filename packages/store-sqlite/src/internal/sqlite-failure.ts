import { HistoryError, isHistoryError } from "@agent-history/core";

/** Where a call to SQLite failed: nothing of a transaction stays, unless its very commit failed. */
export type FailurePlace = "open" | "work" | "commit";

/** Returns whether another connection holds the lock: trying again may help. */
export function isLocked(error: unknown): boolean {
  const code = primaryCode(error);
  return code === BUSY || code === LOCKED;
}

/** Makes a typed error of what SQLite threw. Quotes none of its text: that may name values. */
export function asHistoryError(error: unknown, point: FailurePlace): unknown {
  if (isHistoryError(error)) return error;
  if (isOutOfRange(error)) {
    return new HistoryError(
      "Expected the numbers of the file to be what this package writes. Nothing was written; restore a backup, or read what is left.",
      { code: "THREAD_CORRUPT", details: { reason: "number" } },
    );
  }
  const code = primaryCode(error);
  if (code === undefined) return error;
  const reason = REASONS.get(code) ?? `sqlite-${code}`;
  // After a failed fsync nobody knows what the disk has.
  if (point === "commit" && code === IO_ERROR) {
    return new HistoryError(
      "The file could not be synchronized. It is unknown whether the write is stored: retry with the same ids.",
      { code: "OUTCOME_UNKNOWN", details: { reason }, cause: error },
    );
  }
  return new HistoryError(`${ADVICE.get(reason) ?? "SQLite refused."} Nothing was written.`, {
    code: "STORE_UNAVAILABLE",
    details: { outcome: point === "open" ? "not-sent" : "rejected", reason },
    cause: error,
  });
}

/** Says that the lock did not come free in time. */
export function lockedFor(milliseconds: number, cause: unknown): HistoryError {
  return new HistoryError(
    `The database was locked for ${milliseconds} ms. Nothing was written. Try again, or raise busyTimeoutMs.`,
    { code: "STORE_UNAVAILABLE", details: { outcome: "rejected", reason: "locked" }, cause },
  );
}

const BUSY = 5;
const LOCKED = 6;
const IO_ERROR = 10;

/** SQLite's primary result codes (https://sqlite.org/rescode.html). */
const REASONS: ReadonlyMap<number, string> = new Map([
  [3, "no-permission"],
  [BUSY, "locked"],
  [LOCKED, "locked"],
  [8, "read-only"],
  [IO_ERROR, "disk"],
  [11, "corrupt-file"],
  [13, "full"],
  [14, "cannot-open"],
  [26, "not-a-database"],
]);

const ADVICE: ReadonlyMap<string, string> = new Map([
  ["no-permission", "The file may not be used by this process."],
  ["locked", "The database is locked."],
  ["read-only", "The file is read-only; a history needs one that it may write."],
  ["disk", "The disk failed."],
  ["corrupt-file", "The file is damaged: check it with PRAGMA integrity_check, restore a backup."],
  ["full", "The disk is full, or the file as large as it may be. Make room and send it again."],
  ["cannot-open", "The file cannot be opened. Does its folder exist, and may it be written?"],
  ["not-a-database", "The file is not an SQLite database. Choose another path."],
]);

/** `node:sqlite` refuses to read an integer above 2^53. */
function isOutOfRange(error: unknown): boolean {
  return error instanceof RangeError && "code" in error && error.code === "ERR_OUT_OF_RANGE";
}

function primaryCode(error: unknown): number | undefined {
  const isSqlite = error instanceof Error && "errcode" in error;
  return isSqlite && typeof error.errcode === "number" ? error.errcode & 0xff : undefined;
}
