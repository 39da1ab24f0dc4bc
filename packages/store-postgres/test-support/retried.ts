import { isHistoryError } from "@agent-history/core";

/** Calls again, with the same ids, as long as the store says that it may succeed then. */
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
