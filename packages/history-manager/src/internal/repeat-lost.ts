import { isHistoryError } from "@agent-history/core";
import type { HistoryErrorCode } from "@agent-history/core";

/** How a request is repeated. */
export interface Repeating {
  /** Default 2. */
  readonly maxRetries?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Asks a store again, as long as its answers are lost; what the last lost one said is thrown. `done` is the code by which a repeated request says that the
 * lost one was carried out.
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
      // The outcome of the first try is still unknown, whatever became of this one.
      const isStill =
        isHistoryError(error, "STORE_UNAVAILABLE") || isHistoryError(error, "ABORTED");
      if (isLost) lost = error;
      else if (lost === undefined || !isStill) throw error;
      if (retries >= maxRetries || signal?.aborted === true) throw lost;
    }
  }
}
