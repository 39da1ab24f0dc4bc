import { HistoryError, isHistoryError, isInView } from "@agent-history/core";
import type { Compaction, HistoryView, ReadResult } from "@agent-history/core";
import { failSpan } from "@agent-history/core/kit";

import type { CallOptions } from "../history-manager.ts";
import type { CompressViewOptions, ViewCompression } from "../view-compression.ts";
import { inSpan } from "./in-span.ts";
import type { ManagedThread } from "./managed-thread.ts";

/** Compresses a view: reads it, asks the compressor, and keeps the summary over what it covers, unless the view changed meanwhile. */
export async function compressView(
  { options }: ManagedThread,
  { view = "thread", ...call }: CompressViewOptions = {},
): Promise<ViewCompression> {
  const { store, threadId, cleaner, compressor } = options;
  const { signal } = call;
  if (compressor === undefined) {
    throw new HistoryError(
      "Expected a `compressor`, which summarizes a view. Pass one to createHistoryManager.",
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
    const asked = { ...call, view, allowsSeveral: true };
    const made = await compressor.compress(cleaned?.entries ?? seen, asked);
    span?.setAttributes({ "agent_history.outcome": made.outcome });
    if (made.outcome === "failed") failSpan(span, made.error);
    if (made.outcome !== "compressed") return made;
    let { viewRevision } = read;
    const committed: Compaction[] = [];
    for (const compaction of made.compactions ?? [made.compaction]) {
      const next = await commit(options, compaction, { viewRevision, signal });
      if (next === undefined) {
        const reason = "the view was compressed or expanded by another meanwhile";
        return { outcome: "conflict", reason, committed };
      }
      viewRevision = next;
      committed.push(compaction);
    }
    return made;
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

/** Keeps a summary; the same once more is a success, so that a try whose answer was lost is made again. Returns the view's revision; nothing where the view was not as it was read. */
async function commit(
  { store, threadId, maxRetries = 2 }: ManagedThread["options"],
  { summary }: Compaction,
  {
    viewRevision,
    signal,
  }: { readonly viewRevision: number; readonly signal: AbortSignal | undefined },
): Promise<number | undefined> {
  const { view, covers = [] } = summary;
  const compaction = {
    view,
    summary,
    covers,
    expectedViewRevision: viewRevision,
    ...(signal && { signal }),
  };
  for (let retries = 0; ; retries++) {
    try {
      return (await store.commitCompaction(threadId, compaction)).viewRevision;
    } catch (error) {
      if (isHistoryError(error, "VERSION_CONFLICT")) return undefined;
      if (!isHistoryError(error, "OUTCOME_UNKNOWN") || retries >= maxRetries) throw error;
    }
  }
}

/** Undoes a summary; where the answer to a try was lost, and the next finds no such summary, it is done. */
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
