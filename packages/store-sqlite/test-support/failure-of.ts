import { isHistoryError } from "@agent-history/core";
import type { HistoryErrorCode, HistoryErrorDetails } from "@agent-history/core";

/** Returns the code and details of a call's error; `undefined` if it succeeded. */
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
