import type { HistoryEntry } from "./history-entry.ts";
import { isHistoryError } from "./history-error.ts";

/**
 * Runs a function on entries. If it throws because one of them cannot be read (not an object, a field of the wrong kind or one that
 * throws), runs it on the others. Costs nothing as long as all can be read; linear calls otherwise.
 *
 * @param run - Reads entries. A `HistoryError` that it throws is passed on, unless an entry is unreadable,
 *   which may throw one itself.
 * @param stand - Replaces an unreadable entry if indexes matter. Default: unreadable entries are left out.
 *
 * @example
 * ```ts
 * import { overReadable } from "@agent-history/core";
 *
 * const entries = JSON.parse('[null, { "type": "user_message", "id": "u1", "content": "Hi." }]');
 * overReadable(entries, (readable) => readable.map(({ type }) => type));
 * // => ["user_message"]
 * ```
 */
export function overReadable<Result>(
  entries: readonly HistoryEntry[],
  run: (entries: readonly HistoryEntry[]) => Result,
  stand?: HistoryEntry,
): Result {
  try {
    return run(entries);
  } catch (error) {
    if (isHistoryError(error) && entries.every(isPlain)) throw error;
  }
  const isReadable = (entry: HistoryEntry): boolean => {
    try {
      run([entry]);
    } catch (error) {
      if (!isHistoryError(error)) return false;
    }
    return isPlain(entry);
  };
  if (stand === undefined) return run(entries.filter(isReadable));
  return run(entries.map((entry) => (isReadable(entry) ? entry : stand)));
}

/** Returns whether all fields of an entry can be read and are data, and its id, if any, is a string. */
function isPlain(entry: HistoryEntry): boolean {
  return readOr(false, () => {
    if (typeof entry.id !== "string" && entry.id !== undefined) return false;
    const values = new Set<unknown>([entry]);
    for (const value of values) {
      if (NO_DATA.has(typeof value)) return false;
      if (typeof value !== "object" || value === null) continue;
      for (const inner of Object.values(value)) values.add(inner);
    }
    return true;
  });
}

const NO_DATA: ReadonlySet<string> = new Set(["function", "symbol", "bigint"]);

/** Reads a value; returns `otherwise` if that throws. */
export function readOr<Value>(otherwise: Value, read: () => Value): Value {
  try {
    return read();
  } catch {
    return otherwise;
  }
}
