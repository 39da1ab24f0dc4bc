import { HistoryError, isHistoryError } from "@agent-history/core";

/**
 * Computes from checked options and stored texts. What such work throws by itself is a text that no release wrote; the engine's error would quote it.
 *
 * @throws `HistoryError` with code `THREAD_CORRUPT` instead of an error without a type.
 */
export function overStored<Result>(compute: () => Result): Result {
  try {
    return compute();
  } catch (error) {
    if (isHistoryError(error)) throw error;
    throw new HistoryError(
      "Expected the thread's index and summaries to be what this package wrote. Restore a backup, or read what is left with `originals`.",
      { code: "THREAD_CORRUPT", details: { reason: "index" } },
    );
  }
}
