import { HistoryError, isHistoryError } from "@agent-history/core";
import type { ExpectedVersion, HistoryEntry, HistoryStore } from "@agent-history/core";

/** One batch, on its way to the store. */
export interface Append {
  readonly store: HistoryStore;
  readonly threadId: string;
  readonly entries: readonly HistoryEntry[];
  readonly expectedVersion: ExpectedVersion;
  readonly tokens?: ReadonlyMap<string, readonly number[]>;
  /** How often a write whose answer was lost is sent again. */
  readonly maxRetries: number;
  readonly signal: AbortSignal | undefined;
}

/** Appends a batch; sends it again, by the same ids, where the answer to it was lost. */
export async function appendOnce(
  append: Append,
): Promise<{ readonly version: number; readonly duplicate: boolean }> {
  const { store, threadId, entries, expectedVersion, tokens, maxRetries, signal } = append;
  const options = { expectedVersion, ...(tokens && { tokens }), ...(signal && { signal }) };
  let lost: unknown;
  for (let retries = 0; ; retries++) {
    try {
      return await store.append(threadId, entries, options);
    } catch (error) {
      const isLost = isHistoryError(error, "OUTCOME_UNKNOWN");
      // What became of the first try is still unknown, whatever became of this one.
      const isStill = lost !== undefined && saysNothingWasWritten(error);
      if (!isLost && !isStill) throw error;
      lost = error;
      if (retries >= maxRetries || signal?.aborted === true) throw outcomeUnknown(entries, error);
    }
  }
}

function saysNothingWasWritten(error: unknown): boolean {
  return isHistoryError(error, "STORE_UNAVAILABLE") || isHistoryError(error, "ABORTED");
}

function outcomeUnknown(entries: readonly HistoryEntry[], cause: unknown): HistoryError {
  return new HistoryError(
    "The store's answer was lost: the entries may or may not be stored. Add them again with the same ids (`details.entryIds`); stored entries are not duplicated.",
    {
      code: "OUTCOME_UNKNOWN",
      details: { entryIds: entries.map(({ id }) => id) },
      cause,
    },
  );
}
