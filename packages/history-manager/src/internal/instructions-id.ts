import { HistoryError } from "@agent-history/core";
import type { HistoryEntry } from "@agent-history/core";

/** The id of the caller's system message in every prompt, which no stored entry may have. */
export const INSTRUCTIONS_ID = "history-manager/system";

/** What is wrong with an entry of this id. */
const RESERVED_ID: string = `The id \`${INSTRUCTIONS_ID}\` is reserved for the instructions of a call.`;

/**
 * Refuses entries that are to be written, if one has the id of the instructions.
 *
 * @throws `HistoryError` with code `DUPLICATE_ID`; `details`: `entryId`.
 */
export function requireWritableIds(entries: readonly Pick<HistoryEntry, "id">[]): void {
  if (entries.some(isReserved)) {
    throw reservedId("Nothing was written. Give the entry another id.");
  }
}

/**
 * Refuses to show stored entries, if one has the id of the instructions: whoever wrote it did so without a manager.
 *
 * @throws `HistoryError` with code `DUPLICATE_ID`; `details`: `entryId`.
 */
export function requireShowableIds(entries: readonly HistoryEntry[]): void {
  if (entries.some(isReserved)) {
    throw reservedId(
      "The thread has a stored entry with it, and is unchanged. Use a filter that leaves the entry out, or give it another id with `replaceSuffix` of the store.",
    );
  }
}

/** Returns whether an entry has the id of the instructions. */
function isReserved({ id }: Pick<HistoryEntry, "id">): boolean {
  return id === INSTRUCTIONS_ID;
}

function reservedId(advice: string): HistoryError {
  return new HistoryError(`${RESERVED_ID} ${advice}`, {
    code: "DUPLICATE_ID",
    details: { entryId: INSTRUCTIONS_ID },
  });
}
