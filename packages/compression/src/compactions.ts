import { HistoryError, applyCompactions, isHistoryError, isOverlay } from "@agent-history/core";
import type { Compaction, HistoryEntry, HistoryStore } from "@agent-history/core";

import { coverageOf, isShown, showView, viewItems } from "./internal/view-items.ts";

/**
 * Adds the compactions of an outcome to a log, all or none: their view then shows the summaries instead of what they cover
 * (core's `applyCompactions`); other views do not change. The originals and newer entries stay in the log. Linear.
 *
 * @param log - The log with its summaries, not a view, which lacks originals.
 * @throws `HistoryError` with code `VERSION_CONFLICT` if they no longer hold for the log, `NOT_FOUND` where
 *   originals of the view's summaries are missing.
 * @example
 * ```ts
 * import { addCompactions, expandCompaction } from "@agent-history/compression";
 * import { applyCompactions, assistantMessage, summary, userMessage } from "@agent-history/core";
 *
 * const log = [
 *   userMessage({ id: "u1", content: "Which city?" }),
 *   assistantMessage({ id: "a1", content: "Lisbon." }),
 *   userMessage({ id: "u2", content: "And when?" }),
 * ];
 * const covers = [{ from: "u1", to: "a1" }];
 * const fields = { id: "s1", content: "They chose Lisbon.", strategy: "custom", trust: "user" } as const;
 * const made = { ...summary({ ...fields, covers }), view: "thread" } as const;
 *
 * const compacted = addCompactions(log, [{ summary: made, tokensBefore: 9, tokensAfter: 5 }]);
 * applyCompactions(compacted, "thread").map(({ id }) => id);
 * // => ["s1", "u2"]
 * expandCompaction(compacted, "s1").map(({ id }) => id);
 * // => ["u1", "a1", "u2"]
 * ```
 */
export function addCompactions(
  log: readonly HistoryEntry[],
  compactions: readonly Compaction[],
): readonly HistoryEntry[] {
  const [first] = compactions;
  if (first === undefined) return log;
  const details = { entryId: first.summary.id };
  if (isShown(log, first.summary.view)) {
    throw new HistoryError(
      "Expected the log with the originals; entries that the view's summaries cover are missing. Read the log, or commit to the store.",
      { code: "NOT_FOUND", details },
    );
  }
  if (!areStillValid(compactions, log)) {
    throw new HistoryError(
      "The log has changed since this compaction was made. Discard it and compress again.",
      { code: "VERSION_CONFLICT", details },
    );
  }
  return [...log, ...compactions.map(({ summary }) => summary)];
}

/**
 * Undoes one summary: removes it from the log, so that its view shows the originals again, byte for byte.
 *
 * @param log - The log with its summaries, as returned by {@link addCompactions}; it may have grown since.
 * @throws `HistoryError` with code `NOT_FOUND` if its view does not show the summary: expand the one that covers it first.
 */
export function expandCompaction(
  log: readonly HistoryEntry[],
  summaryId: string,
): readonly HistoryEntry[] {
  const overlay = log.filter(isOverlay).find(({ id }) => id === summaryId);
  if (overlay === undefined || !applyCompactions(log, overlay.view).includes(overlay)) {
    throw new HistoryError(
      "Expected the id of a summary that its view shows. Expand the summary that covers it first.",
      { code: "NOT_FOUND", details: { entryId: summaryId } },
    );
  }
  return log.filter((entry) => entry !== overlay);
}

/**
 * Commits the compactions of one outcome to a store, in order. Each is one transaction, valid by itself: if another
 * writer intervenes, earlier ones stay, and the rest is not written.
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

/**
 * Returns whether compactions of one view, made together, may be applied to a history as it is now, which may be longer than the
 * one they were made from: what they cover is there in its runs with nothing in between that was not summarized, makes whole exchanges, contains nothing that
 * must survive, and does not overlap. Drop those that are not valid. Linear.
 *
 * @param entries - The log with its summaries, or what a store's read of the view gave.
 */
export function areStillValid(
  compactions: readonly Pick<Compaction, "summary" | "entryCount">[],
  entries: readonly HistoryEntry[],
): boolean {
  const view = compactions[0]?.summary.view;
  if (view === undefined) return true;
  const made = new Set(compactions.map(({ summary }) => summary.id));
  if (entries.some(({ id }) => made.has(id))) return false;
  const shown = showView(entries, view);
  const coveredBy = coverageOf(shown, view);
  const owners = new Map<HistoryEntry, number>();
  for (const [owner, { summary, entryCount }] of compactions.entries()) {
    const covered = summary.view === view ? coveredBy(summary) : undefined;
    if (covered === undefined || covered.some((entry) => owners.has(entry))) return false;
    if (covered.length !== (entryCount ?? covered.length)) return false;
    for (const entry of covered) owners.set(entry, owner);
  }
  const { items } = viewItems(shown, { view, preserveMemory: false });
  return items.every(({ entries: own, isCoverable }) => {
    const [first, ...others] = own.map((entry) => owners.get(entry));
    const isWhole = others.every((owner) => owner === first);
    return isWhole && (first === undefined || isCoverable);
  });
}
