import type { EntryRun, HistoryEntry } from "@agent-history/core";

/**
 * Returns the runs of a view's entries that make up what is covered, in order.
 *
 * @param places - Where each of the view's entries stands among them.
 */
export function runsOf(
  covered: readonly HistoryEntry[],
  places: ReadonlyMap<HistoryEntry, number>,
): readonly EntryRun[] {
  const placeOf = (entry: HistoryEntry): number => places.get(entry) ?? -1;
  const runs: { from: string; to: string }[] = [];
  let next = -1;
  for (const entry of covered.toSorted((one, other) => placeOf(one) - placeOf(other))) {
    const last = runs.at(-1);
    if (placeOf(entry) === next && last !== undefined) last.to = entry.id;
    else runs.push({ from: entry.id, to: entry.id });
    next = placeOf(entry) + 1;
  }
  return runs;
}
