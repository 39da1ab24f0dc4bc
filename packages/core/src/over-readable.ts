import type { HistoryEntry } from "./history-entry.ts";
import { isHistoryError } from "./history-error.ts";

/**
 * Runs a function on entries. If it throws because one of them cannot be read (not an object, a field of the wrong kind or one that
 * throws), runs it on the others. Costs nothing as long as all can be read; linear calls otherwise.
 *
 * @param run - Reads entries, and throws nothing on purpose but a `HistoryError`, which is passed on.
 * @param stand - Takes the place of an entry that cannot be read, where indexes matter. Default: none, it is left out.
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
      return isHistoryError(error);
    }
  };
  const keep = (given: readonly HistoryEntry[], test: (entry: HistoryEntry) => boolean) =>
    stand === undefined ? given.filter(test) : given.map((entry) => (test(entry) ? entry : stand));
  try {
    return run(entries);
  } catch (error) {
    if (isHistoryError(error)) throw error;
  }
  const readable = keep(entries, isReadable);
  try {
    return run(readable);
  } catch (error) {
    if (isHistoryError(error)) throw error;
    // One that is read alone may have a field that is read beside others only.
    return run(keep(readable, isPlain));
  }
}

/** Returns whether all that an entry holds can be read and is data, and its id, where it has one, a text. */
function isPlain(entry: HistoryEntry): boolean {
  try {
    return ["string", "undefined"].includes(typeof entry.id) && holdsData(entry);
  } catch {
    return false;
  }
}

function holdsData(entry: HistoryEntry): boolean {
  const held = new Set<unknown>([entry]);
  for (const value of held) {
    if (["function", "symbol", "bigint"].includes(typeof value)) return false;
    if (typeof value !== "object" || value === null) continue;
    for (const inner of Object.values(value)) held.add(inner);
  }
  return true;
}
