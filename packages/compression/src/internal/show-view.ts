import { applyCompactions } from "@agent-history/core";
import type { HistoryEntry, HistoryView, SummaryEntry } from "@agent-history/core";

/** A summary that stands in one view. */
export type Overlay = SummaryEntry & { readonly view: HistoryView };

/** Returns whether an entry is a summary that stands in one view. */
export function isOverlay(entry: HistoryEntry): entry is Overlay {
  return entry.type === "summary" && entry.view !== undefined;
}

/**
 * Shows a history as its view has it, whether it comes as a log with summaries that are still to be applied, or as a
 * store's read gave it, where they stand in their places. Summaries of other views are left out.
 */
export function showView(
  entries: readonly HistoryEntry[],
  view: HistoryView,
): readonly HistoryEntry[] {
  const overlays = entries.filter(isOverlay);
  if (overlays.length === 0) return entries;
  if (isShown(entries, view)) {
    return entries.filter((entry) => !isOverlay(entry) || entry.view === view);
  }
  return applyCompactions(entries, view);
}

/** Returns whether what the view's summaries cover is gone already. */
export function isShown(entries: readonly HistoryEntry[], view: HistoryView): boolean {
  const ids = new Set(entries.map(({ id }) => id));
  const own = entries.filter(isOverlay).filter((overlay) => overlay.view === view);
  return (
    own.length > 0 && own.every(({ covers = [] }) => !covers.some(({ from }) => ids.has(from)))
  );
}
