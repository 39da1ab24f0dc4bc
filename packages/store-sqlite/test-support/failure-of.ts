import { isHistoryError } from "@agent-history/core";
import type { HistoryErrorCode, HistoryErrorDetails } from "@agent-history/core";

/** Gives the code and details that a call failed with; `undefined` where it succeeded. */
export async function failureOf(
  work: Promise<unknown>,
): Promise<{ readonly code: HistoryErrorCode; readonly details: HistoryErrorDetails } | undefined> {
  try {
    await work;
    return undefined;
  } catch (error) {
    if (isHistoryError(error)) return { code: error.code, details: error.details };
    throw error;
  }
}
