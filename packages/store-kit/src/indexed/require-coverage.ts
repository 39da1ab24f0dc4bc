import type { SummaryEntry } from "@agent-history/core";
import { HistoryError } from "@agent-history/core";

import { isMember, remainingOf } from "./view-outline.ts";
import type { ViewOutline } from "./view-outline.ts";

/** Refuses a summary whose runs its view does not show, or that would stand for nothing. */
export function requireCoverage(outline: ViewOutline, summary: SummaryEntry): void {
  const indexes = new Map<number | string, number>();
  for (const [index, one] of remainingOf(outline).entries()) {
    if (typeof one !== "number") indexes.set(one.id, index);
    else {
      const reference = outline.references[one];
      if (reference !== undefined && isMember(reference, outline.view)) indexes.set(one, index);
    }
  }
  const indexOf = (id: string): number => indexes.get(outline.positions.get(id) ?? id) ?? -1;
  let last = -1;
  for (const { from, to } of summary.covers ?? []) {
    const start = indexOf(from);
    const end = indexOf(to);
    if (start <= last || end < start) throw notCovered(start < 0 ? from : to);
    last = end;
  }
  const after = remainingOf({ ...outline, summaries: [...outline.summaries, summary] });
  if (!after.includes(summary)) throw notCovered(summary.id);
}

function notCovered(entryId: string): HistoryError {
  return new HistoryError(
    "Expected `covers` to name runs of entries that the view shows and that may be covered, in order. Read the view again.",
    { code: "NOT_FOUND", details: { entryId } },
  );
}
