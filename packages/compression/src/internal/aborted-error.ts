import { HistoryError } from "@agent-history/core";

/** Says that the caller's signal fired. */
export function abortedError(cause: unknown): HistoryError {
  return new HistoryError("The compression was aborted. Nothing was changed.", {
    code: "ABORTED",
    cause,
  });
}
