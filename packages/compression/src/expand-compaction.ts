import { HistoryError, applyCompactions } from "@agent-history/core";
import type { HistoryEntry } from "@agent-history/core";

import { isOverlay } from "./internal/show-view.ts";

/**
 * Takes one layer back: the summary goes from the log, and its view shows again what it covered, byte for byte.
 *
 * @param log - The log with its summaries, as {@link addCompaction} gave it, longer by now or not.
 * @throws `HistoryError` with code `NOT_FOUND` if its view does not show the summary: expand the one that covers it first.
 */
export function expandCompaction(
  log: readonly HistoryEntry[],
  summaryId: string,
): readonly HistoryEntry[] {
  const overlay = log.find((entry) => entry.id === summaryId && isOverlay(entry));
  const view = overlay !== undefined && isOverlay(overlay) ? overlay.view : undefined;
  if (view === undefined || !applyCompactions(log, view).some((entry) => entry === overlay)) {
    throw new HistoryError(
      "Expected the id of a summary that its view shows. Expand the summary that covers it first.",
      { code: "NOT_FOUND", details: { entryId: summaryId } },
    );
  }
  return log.filter((entry) => entry !== overlay);
}
