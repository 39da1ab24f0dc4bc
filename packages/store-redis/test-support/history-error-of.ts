import { isHistoryError } from "@agent-history/core";
import type { HistoryError } from "@agent-history/core";

/** Gives the error of the library that work ends in; any other error, or none, is thrown. */
export async function historyErrorOf(work: Promise<unknown>): Promise<HistoryError> {
  try {
    await work;
  } catch (error) {
    if (isHistoryError(error)) return error;
    throw error;
  }
  throw new Error("Expected a HistoryError, got a result");
}
