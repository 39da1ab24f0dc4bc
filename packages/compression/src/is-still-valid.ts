import type { Compaction, HistoryEntry } from "@agent-history/core";

import { coverageOf } from "./internal/covered-by.ts";
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
  return areStillValid([compaction], entries);
}

/** The same for several of one view that were made together: what they cover does not overlap. Linear. */
export function areStillValid(
  compactions: readonly Pick<Compaction, "summary">[],
  entries: readonly HistoryEntry[],
): boolean {
  const view = compactions[0]?.summary.view;
  if (view === undefined) return true;
  const made = new Set(compactions.map(({ summary }) => summary.id));
  if (entries.some(({ id }) => made.has(id))) return false;
  const shown = showView(entries, view);
  const coveredBy = coverageOf(shown, view);
  const owners = new Map<HistoryEntry, number>();
  for (const [owner, { summary }] of compactions.entries()) {
    const covered = summary.view === view ? coveredBy(summary) : undefined;
    if (covered === undefined || covered.some((entry) => owners.has(entry))) return false;
    for (const entry of covered) owners.set(entry, owner);
  }
  const { items } = viewItems(shown, {
    view,
    counter: NOTHING,
    preserveMemory: false,
    tailTokens: 0,
  });
  return items.every(({ entries: own, isCoverable }) => {
    const [first, ...others] = own.map((entry) => owners.get(entry));
    const isWhole = others.every((owner) => owner === first);
    return isWhole && (first === undefined || isCoverable);
  });
}

/** A tail of no tokens protects what counts none: nothing does. */
const NOTHING = {
  id: "one",
  countText: (): number => 1,
  countEntry: (): number => 1,
  countRequest: (): number => 1,
};
