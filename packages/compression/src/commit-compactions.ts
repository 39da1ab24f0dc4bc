import { HistoryError, isHistoryError } from "@agent-history/core";
import type { Compaction, HistoryStore } from "@agent-history/core";

/**
 * Commits the compactions of one outcome to a store, in order. Each is one transaction and holds by itself: where another
 * writer comes between, those before stay, it and those after are not written.
 *
 * @param options - `expectedViewRevision`: the view's revision as it was read before compressing.
 * @returns The view's revision after the last.
 * @throws What the store throws: `VERSION_CONFLICT` where the view was compacted since it was read, `NOT_FOUND` where the runs are not there.
 *   Its `details.committed` says how many are written.
 */
export async function commitCompactions(
  store: Pick<HistoryStore, "commitCompaction">,
  threadId: string,
  compactions: readonly Compaction[],
  options: { readonly expectedViewRevision: number; readonly signal?: AbortSignal },
): Promise<{ readonly viewRevision: number }> {
  const { signal } = options;
  let viewRevision = options.expectedViewRevision;
  for (const [committed, { summary }] of compactions.entries()) {
    const { view, covers = [] } = summary;
    try {
      ({ viewRevision } = await store.commitCompaction(threadId, {
        view,
        summary,
        covers,
        expectedViewRevision: viewRevision,
        ...(signal && { signal }),
      }));
    } catch (error) {
      if (!isHistoryError(error)) throw error;
      const { message, code, details } = error;
      throw new HistoryError(message, { code, details: { ...details, committed }, cause: error });
    }
  }
  return { viewRevision };
}
