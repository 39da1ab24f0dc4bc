import type { HistoryEntry } from "./history-entry.ts";
import { isHistoryError } from "./history-error.ts";
import { canBeRead, valuesIn } from "./internal/can-be-read.ts";

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
  const isReadable = (entry: HistoryEntry): boolean => {
    try {
      run([entry]);
      return true;
    } catch (error) {
      return isHistoryError(error) && canBeRead(entry);
    }
  };
  const keep = (given: readonly HistoryEntry[], test: (entry: HistoryEntry) => boolean) =>
    stand === undefined ? given.filter(test) : given.map((entry) => (test(entry) ? entry : stand));
  try {
    return run(entries);
  } catch (error) {
    if (isHistoryError(error) && entries.every(canBeRead)) throw error;
  }
  const readable = keep(entries, isReadable);
  try {
    return run(readable);
  } catch (error) {
    if (isHistoryError(error) && readable.every(canBeRead)) throw error;
    // An entry that reads well alone may fail only beside others.
    return run(keep(readable, isPlain));
  }
}

/** Returns whether all fields of an entry can be read and are data, and its id, if any, is a string. */
function isPlain(entry: HistoryEntry): boolean {
  try {
    if (typeof entry.id !== "string" && entry.id !== undefined) return false;
    return [...valuesIn(entry)].every((value) => !NO_DATA.has(typeof value));
  } catch {
    return false;
  }
}

const NO_DATA: ReadonlySet<string> = new Set(["function", "symbol", "bigint"]);
