import { HistoryError, isHistoryError, isInView } from "@agent-history/core";
import type { Compaction, HistoryView, ReadResult } from "@agent-history/core";

import type { CallOptions } from "../history-manager.ts";
import type { CompressOptions, ViewCompression } from "../view-compression.ts";
import { inSpan } from "./in-span.ts";
import type { ManagedThread } from "./managed-thread.ts";

/** Compresses a view: reads it, asks the compressor, and keeps the summary over what it covers, unless the view changed meanwhile. */
export async function compressView(
  { options }: ManagedThread,
  { view = "thread", signal }: CompressOptions = {},
): Promise<ViewCompression> {
  const { store, threadId, cleaner, compressor } = options;
  if (compressor === undefined) {
    throw new HistoryError(
      "Expected `compressor` to say how a view is summarised. Hand one in to createHistoryManager.",
      { code: "INVALID_OPTION", details: { option: "compressor" } },
    );
  }
  return inSpan("agent_history.compress", async (span) => {
    const cancellation = signal && { signal };
    const query = { clauses: [{}], view };
    const read = await store.read(threadId, { query, ...cancellation });
    const seen = inView(read, view);
    // A summary of what the model did not write would bring it back.
    const cleaned = await cleaner?.clean(seen, signal);
    const made = await compressor.compress(cleaned?.entries ?? seen, { view, ...cancellation });
    span.setAttribute("agent_history.outcome", made.outcome);
    if (made.outcome !== "compressed") return made;
    const isKept = await commit(options, made.compaction, { epoch: read.epoch, signal });
    if (isKept) return made;
    return {
      outcome: "conflict",
      reason: "the view was compressed or expanded by another meanwhile",
    };
  });
}

/** What belongs to the view, and the summaries that stand in it. */
function inView({ entries }: ReadResult, view: HistoryView): ReadResult["entries"] {
  return entries.filter((entry) => {
    return (
      isInView(entry, view) ||
      entry.type === "system_message" ||
      (entry.type === "summary" && entry.view === view)
    );
  });
}

/** Keeps a summary; the same once more is a success, so that a try whose answer was lost is made again. Tells whether the view was still as it was read. */
async function commit(
  { store, threadId, maxRetries = 2 }: ManagedThread["options"],
  { summary }: Compaction,
  { epoch, signal }: { readonly epoch: number; readonly signal: AbortSignal | undefined },
): Promise<boolean> {
  const { view, covers = [] } = summary;
  const compaction = { view, summary, covers, expectedEpoch: epoch, ...(signal && { signal }) };
  for (let retries = 0; ; retries++) {
    try {
      await store.commitCompaction(threadId, compaction);
      return true;
    } catch (error) {
      if (isHistoryError(error, "VERSION_CONFLICT")) return false;
      if (!isHistoryError(error, "OUTCOME_UNKNOWN") || retries >= maxRetries) throw error;
    }
  }
}

/** Takes back a summary; where the answer to a try was lost, and the next finds no such summary, it is done. */
export async function expandSummary(
  { options: { store, threadId, maxRetries = 2 } }: ManagedThread,
  summaryId: string,
  { signal }: CallOptions = {},
): Promise<void> {
  for (let retries = 0; ; retries++) {
    try {
      await store.expand(threadId, summaryId, signal && { signal });
      return;
    } catch (error) {
      if (retries > 0 && isHistoryError(error, "NOT_FOUND")) return;
      if (!isHistoryError(error, "OUTCOME_UNKNOWN") || retries >= maxRetries) throw error;
    }
  }
}
