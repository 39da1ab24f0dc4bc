import { HistoryError } from "@agent-history/core";

/** The id of the caller's system message in every prompt, which no stored entry may have. */
export const INSTRUCTIONS_ID = "history-manager/system";

/** The error for an entry with the id reserved for the instructions. */
export function reservedId(advice: string): HistoryError {
  return new HistoryError(
    `The id \`${INSTRUCTIONS_ID}\` is reserved for the instructions of a call. ${advice}`,
    { code: "DUPLICATE_ID", details: { entryId: INSTRUCTIONS_ID } },
  );
}
