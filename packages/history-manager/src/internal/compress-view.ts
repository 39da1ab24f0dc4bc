import { HistoryError, isHistoryError, isInView } from "@agent-history/core";
import type { Compaction } from "@agent-history/core";
import { failSpan } from "@agent-history/core/kit";

import type {
  CallOptions,
  CompressViewOptions,
  Scope,
  ViewCompression,
} from "../history-manager.ts";
import { inSpan, repeatLost } from "./managed-thread.ts";
import type { ManagedThread } from "./managed-thread.ts";
import { viewOf } from "./resolve-call.ts";

/** Compresses a view: reads it, calls the compressor, and commits the summary unless the view changed meanwhile. */
export async function compressView(
  { options }: ManagedThread,
  scope: Scope,
  { view = viewOf(options, scope), ...call }: CompressViewOptions = {},
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
    // The entries of the view and its summaries.
    const seen = read.entries.filter(
      (entry) =>
        isInView(entry, view) ||
        entry.type === "system_message" ||
        (entry.type === "summary" && entry.view === view),
    );
    // Clean first: a summary must not bring back text that the model did not write.
    const cleaned = await cleaner?.clean(seen, signal);
    const asked = { ...call, view, allowsSeveral: true };
    const made = await compressor.compress(cleaned?.entries ?? seen, asked);
    span?.setAttributes({ "agent_history.outcome": made.outcome });
    if (made.outcome === "failed") failSpan(span, made.error);
    if (made.outcome !== "compressed") return made;
    let { viewRevision } = read;
    const committed: Compaction[] = [];
    for (const compaction of made.compactions ?? [made.compaction]) {
      const next = await commit(options, compaction, viewRevision, signal);
      if (next === undefined) {
        const reason = "the view was compressed or expanded by another call in the meantime";
        return { outcome: "conflict", reason, committed };
      }
      viewRevision = next;
      committed.push(compaction);
    }
    return made;
  });
}

/** Commits a summary; a retry succeeds. Returns the view's revision, or `undefined` if the view changed. */
async function commit(
  options: ManagedThread["options"],
  { summary }: Compaction,
  expectedViewRevision: number,
  signal: AbortSignal | undefined,
): Promise<number | undefined> {
  const { store, threadId } = options;
  const { view, covers = [] } = summary;
  const compaction = { view, summary, covers, expectedViewRevision, ...(signal && { signal }) };
  const ask = async (): Promise<number> =>
    (await store.commitCompaction(threadId, compaction)).viewRevision;
  try {
    return await repeatLost(ask, { ...options, signal });
  } catch (error) {
    if (isHistoryError(error, "VERSION_CONFLICT")) return undefined;
    throw error;
  }
}

/** Expands a summary. */
export async function expandSummary(
  { options }: ManagedThread,
  summaryId: string,
  { signal }: CallOptions = {},
): Promise<void> {
  const { store, threadId } = options;
  const expand = async (): Promise<void> => {
    await store.expand(threadId, summaryId, signal && { signal });
  };
  await repeatLost(expand, { ...options, signal }, { code: "NOT_FOUND", result: undefined });
}
