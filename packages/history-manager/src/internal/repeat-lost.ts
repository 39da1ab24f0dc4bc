import { isHistoryError } from "@agent-history/core";
import type { HistoryErrorCode } from "@agent-history/core";

/** Options of the retries. */
export interface Repeating {
  /** Default 2. */
  readonly maxRetries?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Retries a store call whose answer was lost; throws the last error. `done` is the error code by which a retry says that the
 * lost call was carried out.
 */
export async function repeatLost<Result>(
  ask: () => Promise<Result>,
  { maxRetries = 2, signal }: Repeating,
  done?: { readonly code: HistoryErrorCode; readonly result: Result },
): Promise<Result> {
  let lost: unknown;
  for (let retries = 0; ; retries++) {
    try {
      return await ask();
    } catch (error) {
      const isLost = isHistoryError(error, "OUTCOME_UNKNOWN");
      if (lost !== undefined && done !== undefined && isHistoryError(error, done.code))
        return done.result;
      // The outcome of the first try is still unknown, whatever happened to this one.
      const isStill =
        isHistoryError(error, "STORE_UNAVAILABLE") || isHistoryError(error, "ABORTED");
      if (isLost) lost = error;
      else if (lost === undefined || !isStill) throw error;
      if (retries >= maxRetries || signal?.aborted === true) throw lost;
    }
  }
}
