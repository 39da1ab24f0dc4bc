import { HistoryError, isHistoryError } from "@agent-history/core";
import { driverFailure } from "@agent-history/store-kit";

/** Converts errors of SQLite and the file system to `HistoryError`. Does not quote their messages, which may contain values. */
export function asHistoryError(error: unknown, place: "open" | "work" | "commit"): unknown {
  if (isHistoryError(error) || !(error instanceof Error)) return error;
  // `node:sqlite` refuses to read an integer above 2^53.
  if ("code" in error && error.code === "ERR_OUT_OF_RANGE") return strangeNumber(error);
  const outcome = place === "open" ? "not-sent" : "rejected";
  if ("syscall" in error)
    return driverFailure("read", { outcome: "not-sent", ...DISK, cause: error });
  if (!("errcode" in error) || typeof error.errcode !== "number") return error;
  const code = error.errcode & 0xff;
  const found = REASONS.get(code) ?? { reason: `sqlite-${code}`, advice: "SQLite refused." };
  // After a failed fsync, the state of the disk is unknown.
  const isUnknown = place === "commit" && found === DISK;
  return driverFailure("write", {
    ...found,
    outcome: isUnknown ? "unknown" : outcome,
    isPassing: found === LOCKED,
    cause: error,
  });
}

const DISK = { reason: "disk", advice: "The disk failed." };
const LOCKED = {
  reason: "locked",
  advice: "The file is locked by another process. Try again, or raise busyTimeoutMs.",
};

/** Reason and advice for SQLite's primary result codes (https://sqlite.org/rescode.html). */
const REASONS: ReadonlyMap<number, { readonly reason: string; readonly advice: string }> = new Map([
  [3, { reason: "no-permission", advice: "Allow this process to use the file." }],
  [5, LOCKED],
  [6, LOCKED],
  [8, { reason: "read-only", advice: "Use a writable file." }],
  [10, DISK],
  [11, { reason: "corrupt-file", advice: "Check with PRAGMA integrity_check, restore a backup." }],
  [13, { reason: "full", advice: "Free disk space and try again." }],
  [
    14,
    { reason: "cannot-open", advice: "Create its folder, and allow this process to write there." },
  ],
  [
    26,
    {
      reason: "not-a-database",
      advice: "The file is not an SQLite database. Choose another path.",
    },
  ],
]);

/** The error for a number in the file that this store did not write. */
export function strangeNumber(cause?: unknown): HistoryError {
  return new HistoryError(
    "The file contains numbers that this package does not write. Nothing was written. Restore a backup, or read the entries that are left.",
    { code: "THREAD_CORRUPT", details: { reason: "number" }, cause },
  );
}
