import type { HistoryEntry } from "../history-entry.ts";
import { isHistoryError } from "../history-error.ts";
import type { HistoryError } from "../history-error.ts";
import type { StoredEntryProblem } from "../stored-entry-problem.ts";
import { decodeEntry } from "./decode-entry.ts";

/**
 * Reads stored entries in order. A row that cannot be read costs only itself: it is reported with its position in
 * `rows` and left out. A row whose version is newer is reported as `newer`; keep it. A type that is not built in is the user's own.
 */
export function decodeEntries(rows: readonly unknown[]): {
  readonly entries: readonly HistoryEntry[];
  readonly problems: readonly StoredEntryProblem[];
} {
  const entries: HistoryEntry[] = [];
  const problems: StoredEntryProblem[] = [];
  for (const [position, row] of rows.entries()) {
    try {
      entries.push(decodeEntry(row));
    } catch (error) {
      if (!isHistoryError(error)) throw error;
      problems.push(problemOf(error, position));
    }
  }
  return { entries, problems };
}

function problemOf(error: HistoryError, position: number): StoredEntryProblem {
  const { entryId, path } = error.details;
  return {
    position,
    ...(typeof entryId === "string" ? { entryId } : {}),
    ...(typeof path === "string" && path !== "" ? { path } : {}),
    kind: error.code === "UNKNOWN_VERSION" ? "newer" : "broken",
    reason: error.message,
  };
}
