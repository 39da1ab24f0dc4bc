import type {
  Decision,
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

/**
 * Puts what is known of a planned view where it stood when it was planned, what came since behind it, and stands for the rest: in one list, which is
 * written once however long it is. Nothing where what is known is not there.
 *
 * @param earlier - The list of a plan that this one adds to: what stands in it for the rest is left there.
 */
export function layOut(
  plan: ReductionPlan,
  { kept, dropped, added }: KnownEntries & { readonly added: readonly HistoryEntry[] },
  unread: UnreadEntries,
  earlier?: HistoryEntry[],
): HistoryEntry[] | undefined {
  const startOf = runsIn(kept);
  let start = plan.decisions.reduce((sum, { entryCount }) => sum + entryCount, 0);
  const laid = earlier ?? [];
  laid.length = start + added.length;
  put(laid, start, added);
  // From the end: what stands behind a gap names it.
  let gapEnd = start;
  let before: string | undefined;
  for (const decision of plan.decisions.toReversed()) {
    const { action, from, entryCount } = decision;
    const end = start;
    start -= entryCount;
    if (isGone(action)) {
      if (earlier === undefined) unread.standIn(laid, start, decision, before);
      continue;
    }
    const first = startOf(decision);
    if (first === undefined) return undefined;
    if (!fillGap(laid, [end, gapEnd], dropped.get(before))) return undefined;
    put(laid, start, kept.slice(first, first + entryCount));
    gapEnd = start;
    before = from;
  }
  const isFilled = fillGap(laid, [0, gapEnd], dropped.get(before));
  return isFilled && putQuoted(laid, plan, { kept, unread }) ? laid : undefined;
}

/** Finds where runs begin in what is kept, the last run first; nothing where one is not there. Only what is quoted stands between them. */
function runsIn(kept: readonly HistoryEntry[]): (run: Decision) => number | undefined {
  let end = kept.length;
  let indexes: ReadonlyMap<string, number> | undefined;
  const isAt = (index: number, { from, to, entryCount }: Decision): boolean =>
    kept[index]?.id === from && kept[index + entryCount - 1]?.id === to;
  return (run) => {
    let start = end - run.entryCount;
    if (!isAt(start, run)) {
      indexes ??= new Map(kept.map(({ id }, index) => [id, index]));
      start = indexes.get(run.from) ?? -1;
    }
    if (!isAt(start, run)) return undefined;
    end = start;
    return start;
  };
}

function put(laid: HistoryEntry[], start: number, entries: readonly HistoryEntry[]): void {
  for (const [nth, entry] of entries.entries()) laid[start + nth] = entry;
}

/** Puts known entries instead of the last of a gap. Returns whether they are those. */
function fillGap(
  laid: HistoryEntry[],
  [start, end]: readonly [number, number],
  known: readonly HistoryEntry[] = [],
): boolean {
  const count = Math.min(end - start, known.length);
  if (count === 0) return true;
  const isFirst = count < end - start || laid[start]?.id === known.at(-count)?.id;
  if (!isFirst || laid[end - 1]?.id !== known.at(-1)?.id) return false;
  put(laid, end - count, known.slice(-count));
  return true;
}

/** Puts what is quoted where it stood. Returns whether nothing else stands there. */
function putQuoted(
  laid: HistoryEntry[],
  plan: ReductionPlan,
  { kept, unread }: { readonly kept: KnownEntries["kept"]; readonly unread: UnreadEntries },
): boolean {
  const quotes = quotesOf(plan);
  const known = new Map(quotes.length === 0 ? [] : kept.map((entry) => [entry.id, entry]));
  return quotes.every(({ id, index = -1 }) => {
    const there = laid[index];
    const entry = known.get(id);
    if (there === undefined || entry === undefined) return false;
    if (unread.has(there)) laid[index] = entry;
    else if (there.id !== id) return false;
    return true;
  });
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

/** Of the entries that a plan was made of, those that the next call needs: what it keeps, and what it quotes. */
export function neededOf(
  plan: ReductionPlan,
  planned: readonly HistoryEntry[],
): readonly HistoryEntry[] {
  const quoted = quotesOf(plan).map(({ index = -1 }) => index);
  const indexes = new Set([...quoted, ...keptIndexes(plan)]);
  return [...indexes].toSorted((one, other) => one - other).flatMap((at) => planned[at] ?? []);
}

/** Where what a plan keeps stands. */
export function keptIndexes({ decisions }: ReductionPlan): readonly number[] {
  const indexes: number[] = [];
  let index = 0;
  for (const { action, entryCount } of decisions) {
    const end = index + entryCount;
    for (index = isGone(action) ? end : index; index < end; index++) indexes.push(index);
  }
  return indexes;
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
