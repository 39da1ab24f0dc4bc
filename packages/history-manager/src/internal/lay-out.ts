import type { DecisionAction, HistoryEntry, ReductionPlan } from "@agent-history/core";

import type { UnreadEntries } from "./unread-entries.ts";

/** What is known of a planned view. */
export interface KnownEntries {
  /** Has all that the plan keeps, in the order of the view. */
  readonly kept: readonly HistoryEntry[];
  /** Of what it dropped the last entries before another, by the id of that; before what came since without one. */
  readonly dropped: ReadonlyMap<string | undefined, readonly HistoryEntry[]>;
}

/** Tells whether nothing of a run is left but perhaps a summary. */
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
  const runs: HistoryEntry[][] = [];
  let gap: HistoryEntry[] = [];
  let before: string | undefined;
  for (const decision of decisions.toReversed()) {
    const { action, from, to, entryCount } = decision;
    if (isGone(action)) {
      gap = [...unread.run(decision, before), ...gap];
      continue;
    }
    const start = places.get(from);
    if (start === undefined || kept[start + entryCount - 1]?.id !== to) return undefined;
    if (!fillGap(gap, dropped.get(before))) return undefined;
    runs.push(gap, kept.slice(start, start + entryCount));
    gap = [];
    before = from;
  }
  if (!fillGap(gap, dropped.get(before))) return undefined;
  return [...runs, gap].toReversed().flat();
}

/** Puts known entries in the place of the last of a gap, and tells whether they are those. */
function fillGap(gap: HistoryEntry[], known: readonly HistoryEntry[] = []): boolean {
  const count = Math.min(gap.length, known.length);
  if (count === 0) return true;
  const isWhole = count === gap.length;
  const isSame =
    gap.at(-1)?.id === known.at(-1)?.id && (!isWhole || gap[0]?.id === known.at(-count)?.id);
  gap.splice(gap.length - count, count, ...known.slice(-count));
  return isSame;
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
