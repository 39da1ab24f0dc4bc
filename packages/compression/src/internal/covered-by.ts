import { isInView } from "@agent-history/core";
import type { HistoryEntry, HistoryView, SummaryEntry } from "@agent-history/core";

import { isOverlay } from "./show-view.ts";

/** Returns the entries that a summary of a view covers, by core's rules; nothing where its runs are not there, in order. */
export type CoveredBy = (
  summary: Pick<SummaryEntry, "covers">,
) => readonly HistoryEntry[] | undefined;

/** Prepares a shown view for questions about what summaries cover. */
export function coverageOf(shown: readonly HistoryEntry[], view: HistoryView): CoveredBy {
  const members = shown.filter((entry) =>
    isOverlay(entry) ? entry.view === view : isInView(entry, view),
  );
  const indexes = new Map(members.map(({ id }, index) => [id, index]));
  return ({ covers = [] }) => {
    const covered: HistoryEntry[] = [];
    let last = -1;
    for (const { from, to } of covers) {
      const start = indexes.get(from) ?? -1;
      const end = indexes.get(to) ?? -1;
      if (start <= last || end < start) return undefined;
      for (const entry of members.slice(start, end + 1))
        if (entry.type !== "system_message" && entry.pinned !== true) covered.push(entry);
      last = end;
    }
    return covered.length === 0 ? undefined : covered;
  };
}
