import { isHistoryError } from "@agent-history/core";
import type { HistoryError } from "@agent-history/core";

/** Returns the `HistoryError` that work rejects with; throws on any other error, or if it succeeds. */
export async function historyErrorOf(work: Promise<unknown>): Promise<HistoryError> {
  try {
    await work;
  } catch (error) {
    if (isHistoryError(error)) return error;
    throw error;
  }
  throw new Error("Expected a HistoryError, got a result");
}
