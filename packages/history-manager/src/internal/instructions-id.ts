import { HistoryError } from "@agent-history/core";
import type { HistoryEntry } from "@agent-history/core";

/** The id of the caller's system message in every prompt, which no stored entry may have. */
export const INSTRUCTIONS_ID = "history-manager/system";

/**
 * Refuses entries that are to be written or shown if one has the id of the instructions.
 *
 * @throws `HistoryError` with code `DUPLICATE_ID`; `details`: `entryId`.
 */
export function requireFreeIds(entries: readonly Pick<HistoryEntry, "id">[], advice: string): void {
  if (entries.every(({ id }) => id !== INSTRUCTIONS_ID)) return;
  throw new HistoryError(
    `The id \`${INSTRUCTIONS_ID}\` is reserved for the instructions of a call. ${advice}`,
    { code: "DUPLICATE_ID", details: { entryId: INSTRUCTIONS_ID } },
  );
}
