import type { DecisionAction, HistoryEntry, ReductionPlan } from "@agent-history/core";

import type { UnreadEntries } from "./unread-entries.ts";

/** What is known of a planned view. */
export interface KnownEntries {
  /** Has all that the plan keeps, in the order of the view. */
  readonly kept: readonly HistoryEntry[];
  /** Of what it dropped the last entries before another, by the id of that; before what came since without one. */
  readonly dropped: ReadonlyMap<string | undefined, readonly HistoryEntry[]>;
}

/** Returns whether nothing of a run is left but perhaps a summary. */
export function isGone({ kind }: DecisionAction): boolean {
  return kind === "drop" || kind === "summarize";
}

/** Puts what is known of a planned view where it stood when it was planned, and stands for the rest. Nothing where that is not there. */
export function layOut(
  { decisions }: ReductionPlan,
  { kept, dropped }: KnownEntries,
  unread: UnreadEntries,
): readonly HistoryEntry[] | undefined {
  const places = new Map(kept.map(({ id }, place) => [id, place]));
  // From the end: what stands behind a gap names it.
  let laid: readonly HistoryEntry[] = [];
  let gap: readonly HistoryEntry[] = [];
  let before: string | undefined;
  for (const decision of decisions.toReversed()) {
    const { action, from, to, entryCount } = decision;
    if (isGone(action)) {
      const run = unread.run(decision, before);
      gap = gap.length === 0 ? run : run.concat(gap);
      continue;
    }
    const start = places.get(from);
    const filled = fillGap(gap, dropped.get(before));
    if (start === undefined || kept[start + entryCount - 1]?.id !== to) return undefined;
    if (filled === undefined) return undefined;
    laid = kept.slice(start, start + entryCount).concat(filled, laid);
    gap = [];
    before = from;
  }
  return fillGap(gap, dropped.get(before))?.concat(laid);
}

/** Puts known entries instead of the last of a gap; nothing where they are not those. */
function fillGap(
  gap: readonly HistoryEntry[],
  known: readonly HistoryEntry[] = [],
): readonly HistoryEntry[] | undefined {
  const count = Math.min(gap.length, known.length);
  if (count === 0) return gap;
  const isFirst = count < gap.length || gap[0]?.id === known.at(-count)?.id;
  if (!isFirst || gap.at(-1)?.id !== known.at(-1)?.id) return undefined;
  return gap.slice(0, gap.length - count).concat(known.slice(-count));
}

/** The entries that a plan keeps, as it was made of them. */
export function keptOf(
  { decisions }: ReductionPlan,
  planned: readonly HistoryEntry[],
): readonly HistoryEntry[] {
  let place = 0;
  return decisions.flatMap(({ action, entryCount }) => {
    const run = isGone(action) ? [] : planned.slice(place, place + entryCount);
    place += entryCount;
    return run;
  });
}
