import { HistoryError, isHistoryError } from "@agent-history/core";

/** Makes a typed error of what SQLite or the file system threw. Quotes none of its text: that may name values. */
export function asHistoryError(error: unknown, place: "open" | "work" | "commit"): unknown {
  if (isHistoryError(error)) return error;
  if (isSystemError(error)) return unavailable("disk", "not-sent", error);
  const code = primaryCode(error);
  if (code === undefined) return isOutOfRange(error) ? strangeNumber(error) : error;
  const reason = REASONS.get(code)?.[0] ?? `sqlite-${code}`;
  // After a failed fsync nobody knows what the disk has.
  if (place === "commit" && code === IO_ERROR) {
    return new HistoryError(
      "The file could not be synchronized. It is unknown whether the write is stored: retry with the same ids.",
      { code: "OUTCOME_UNKNOWN", details: { reason }, cause: error },
    );
  }
  return unavailable(
    reason,
    place === "open" ? "not-sent" : "rejected",
    error,
    REASONS.get(code)?.[1],
  );
}

const IO_ERROR = 10;
const LOCKED = "The file is locked by another process. Try again, or raise busyTimeoutMs.";

/** SQLite's primary result codes (https://sqlite.org/rescode.html): our reason, and what to do. */
const REASONS: ReadonlyMap<number, readonly [reason: string, advice: string]> = new Map([
  [3, ["no-permission", "The file may not be used by this process."]],
  [5, ["locked", LOCKED]],
  [6, ["locked", LOCKED]],
  [8, ["read-only", "The file is read-only; a history needs one that it may write."]],
  [IO_ERROR, ["disk", "The disk failed."]],
  [
    11,
    [
      "corrupt-file",
      "The file is damaged: check it with PRAGMA integrity_check, restore a backup.",
    ],
  ],
  [
    13,
    ["full", "The disk is full, or the file as large as it may be. Make room and send it again."],
  ],
  [14, ["cannot-open", "The file cannot be opened. Does its folder exist, and may it be written?"]],
  [26, ["not-a-database", "The file is not an SQLite database. Choose another path."]],
]);

function unavailable(
  reason: string,
  outcome: "not-sent" | "rejected",
  cause: unknown,
  advice = "SQLite refused.",
): HistoryError {
  const retry = reason === "locked";
  return new HistoryError(`${advice} Nothing was written.`, {
    code: "STORE_UNAVAILABLE",
    details: { outcome, reason, ...(retry && { retry }) },
    cause,
  });
}

function strangeNumber(cause: unknown): HistoryError {
  return new HistoryError(
    "Expected the numbers of the file to be what this package writes. Nothing was written; restore a backup, or read what is left.",
    { code: "THREAD_CORRUPT", details: { reason: "number" }, cause },
  );
}

/** `node:sqlite` refuses to read an integer above 2^53. */
function isOutOfRange(error: unknown): boolean {
  return error instanceof RangeError && "code" in error && error.code === "ERR_OUT_OF_RANGE";
}

function isSystemError(error: unknown): boolean {
  return error instanceof Error && "syscall" in error;
}

function primaryCode(error: unknown): number | undefined {
  const isSqlite = error instanceof Error && "errcode" in error;
  return isSqlite && typeof error.errcode === "number" ? error.errcode & 0xff : undefined;
}
