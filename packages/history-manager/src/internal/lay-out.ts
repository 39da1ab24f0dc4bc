import type {
  DecisionAction,
  HistoryEntry,
  PlannedRecall,
  ReductionPlan,
} from "@agent-history/core";

import type { UnreadEntries } from "./unread-entries.ts";

/** What is known of a planned view. */
export interface KnownEntries {
  /** Has all that the plan keeps, and what its recall blocks quote, in the order of the view. */
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
  plan: ReductionPlan,
  { kept, dropped }: KnownEntries,
  unread: UnreadEntries,
): readonly HistoryEntry[] | undefined {
  const indexes = new Map(kept.map(({ id }, index) => [id, index]));
  // From the end: what stands behind a gap names it.
  let laid: readonly HistoryEntry[] = [];
  let gap: readonly HistoryEntry[] = [];
  let before: string | undefined;
  for (const decision of plan.decisions.toReversed()) {
    const { action, from, to, entryCount } = decision;
    if (isGone(action)) {
      const run = unread.run(decision, before);
      gap = gap.length === 0 ? run : run.concat(gap);
      continue;
    }
    const start = indexes.get(from);
    const filled = fillGap(gap, dropped.get(before));
    if (start === undefined || kept[start + entryCount - 1]?.id !== to) return undefined;
    if (filled === undefined) return undefined;
    laid = kept.slice(start, start + entryCount).concat(filled, laid);
    gap = [];
    before = from;
  }
  const filled = fillGap(gap, dropped.get(before));
  return filled && withQuoted(filled.concat(laid), plan, { kept, unread });
}

/** Puts what is quoted where it stood; nothing where something else stands there. */
function withQuoted(
  laid: readonly HistoryEntry[],
  plan: ReductionPlan,
  { kept, unread }: { readonly kept: KnownEntries["kept"]; readonly unread: UnreadEntries },
): readonly HistoryEntry[] | undefined {
  const quotes = quotesOf(plan);
  if (quotes.length === 0) return laid;
  const known = new Map(kept.map((entry) => [entry.id, entry]));
  const all = [...laid];
  for (const { id, index = -1 } of quotes) {
    const there = all[index];
    const entry = known.get(id);
    if (there === undefined || entry === undefined) return undefined;
    if (unread.has(there)) all[index] = entry;
    else if (there.id !== id) return undefined;
  }
  return all;
}

/** The ids of what a plan quotes, with the places where it stood. */
export function quotesOf({
  head,
  recalls = [],
}: Pick<ReductionPlan, "head" | "recalls">): readonly {
  readonly id: string;
  readonly index: number | undefined;
}[] {
  return [...(head ? [head] : []), ...recalls].flatMap(({ quotes, indexes = [] }: PlannedRecall) =>
    quotes.map((id, nth) => ({ id, index: indexes[nth] })),
  );
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

/** Of the entries that a plan was made of, those that the next call needs: what it keeps, and what it quotes. */
export function neededOf(
  plan: ReductionPlan,
  planned: readonly HistoryEntry[],
): readonly HistoryEntry[] {
  const indexes = new Set(quotesOf(plan).map(({ index = -1 }) => index));
  let entryIndex = 0;
  for (const { action, entryCount } of plan.decisions) {
    for (let nth = 0; nth < entryCount && !isGone(action); nth++) indexes.add(entryIndex + nth);
    entryIndex += entryCount;
  }
  return [...indexes].toSorted((one, other) => one - other).flatMap((at) => planned[at] ?? []);
}

/** The entries that a plan keeps, as it was made of them. */
export function keptOf(
  { decisions }: ReductionPlan,
  planned: readonly HistoryEntry[],
): readonly HistoryEntry[] {
  let index = 0;
  return decisions.flatMap(({ action, entryCount }) => {
    const run = isGone(action) ? [] : planned.slice(index, index + entryCount);
    index += entryCount;
    return run;
  });
}
