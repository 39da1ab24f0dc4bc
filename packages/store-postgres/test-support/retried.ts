import { isHistoryError } from "@agent-history/core";

/** Retries a call, with the same ids, as long as its error says that a retry may succeed. */
export async function retried<Result>(call: () => Promise<Result>): Promise<Result> {
  for (;;) {
    try {
      return await call();
    } catch (error) {
      const isPassing =
        isHistoryError(error, "STORE_UNAVAILABLE") || isHistoryError(error, "OUTCOME_UNKNOWN");
      if (!isPassing) throw error;
    }
  }
}
