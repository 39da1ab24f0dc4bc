import { HistoryError } from "@agent-history/core";

/** A command that cannot be carried out as the model wrote it. The message is for the model. */
export function refused(message: string): HistoryError {
  return new HistoryError(message, { code: "INVALID_OPTION", details: { option: "command" } });
}

/** A path where nothing is. */
export function missing(message: string): HistoryError {
  return new HistoryError(message, { code: "NOT_FOUND" });
}
