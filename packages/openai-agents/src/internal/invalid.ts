import { HistoryError } from "@agent-history/core";

/** An error that says nothing of what a conversation holds. */
export function invalid(message: string): HistoryError {
  return new HistoryError(message, { code: "INVALID_OPTION", details: { option: "session" } });
}
