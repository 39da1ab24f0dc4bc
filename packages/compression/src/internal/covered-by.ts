import { isInView } from "@agent-history/core";
import type { Compaction, HistoryEntry } from "@agent-history/core";

import { isOverlay } from "./show-view.ts";

/** Returns the entries of a shown view that a compaction covers, by core's rules; nothing where its runs are not there, in order. */
export function coveredBy(
  shown: readonly HistoryEntry[],
  { summary }: Pick<Compaction, "summary">,
): readonly HistoryEntry[] | undefined {
  const { view, covers = [] } = summary;
  const members = shown.filter((entry) =>
    isOverlay(entry) ? entry.view === view : isInView(entry, view),
  );
  const indexes = new Map(members.map(({ id }, index) => [id, index]));
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
}
