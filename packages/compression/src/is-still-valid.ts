import type { Compaction, HistoryEntry } from "@agent-history/core";

import { coveredBy } from "./internal/covered-by.ts";
import { showView } from "./internal/show-view.ts";
import { viewItems } from "./internal/view-items.ts";

/**
 * Returns whether a compaction may be applied to a history as it is now, which may be longer than the one it was made from:
 * what it covers is there in its runs, makes whole exchanges, and is nothing that must survive. One that is not valid is dropped.
 *
 * @param entries - The log with its summaries, or what a store's read of the view gave.
 */
export function isStillValid(
  compaction: Pick<Compaction, "summary">,
  entries: readonly HistoryEntry[],
): boolean {
  const { view, id } = compaction.summary;
  if (entries.some((entry) => entry.id === id)) return false;
  const shown = showView(entries, view);
  const covered = new Set(coveredBy(shown, compaction));
  if (covered.size === 0) return false;
  const { items } = viewItems(shown, {
    view,
    counter: NOTHING,
    preserveMemory: false,
    tailTokens: 0,
  });
  return items.every(({ entries: own, isCoverable }) => {
    const count = own.filter((entry) => covered.has(entry)).length;
    return count === 0 || (isCoverable && count === own.length);
  });
}

/** A tail of no tokens protects what counts none: nothing does. */
const NOTHING = {
  id: "one",
  countText: (): number => 1,
  countEntry: (): number => 1,
  countRequest: (): number => 1,
};
