import { HistoryError } from "@agent-history/core";

/** Says that a cleaner did not do what a cleaner does, without a word of the text. */
export function cleanerFailed(cleaner: string): HistoryError {
  return new HistoryError(`Expected \`${cleaner}\` to cut what was added, and nothing else.`, {
    code: "CLEANER_FAILED",
    details: { cleaner },
  });
}
