import { isInView, sameJson } from "@agent-history/core";
import type {
  EntryRun,
  HistoryEntry,
  HistoryError,
  HistoryView,
  SummaryEntry,
} from "@agent-history/core";
import { decodeEntry } from "@agent-history/core/schema";

import { changedBefore, prepareBatch } from "./append-entries.ts";
import type { Answer, Ask, ItemKey } from "./driver.ts";
import { viewStateIn } from "./head.ts";
import type { Head } from "./head.ts";
import { corrupt, duplicateId, jsonIn, notFound, noThread, conflict } from "./store-errors.ts";
import { loadSound, OF_VIEW, positionIn } from "./stored-log.ts";
import type { LoadedRow } from "./stored-log.ts";
import { know, look, pagesOf, writeThread } from "./thread-access.ts";
import type { Thread, ThreadVerb } from "./thread-access.ts";

/** All summaries of a thread, in the order of their commits. */
export const listSummaries: ThreadVerb<"listSummaries"> = async (thread) => {
  const { answers } = await know(thread, [{ kind: "items", of: "o" }]);
  return overlaysIn(answers[0]).map(({ summary }) => summary);
};

/** Replaces runs of shown entries by a summary in a view. */
export const commitCompaction: ThreadVerb<"commitCompaction"> = async (thread, options) => {
  const { view, summary: given, covers, expectedViewRevision } = options;
  const [summary = given] = await changedBefore(thread, [given]);
  const { entries } = prepareBatch([{ ...summary, view, covers }], { allowsViews: true });
  const json = entries[0]?.json ?? "";
  const { id } = summary;
  const ends = covers.flatMap(({ from, to }) => [from, to]);
  const asks: readonly Ask[] = [
    { kind: "items", of: "i", keys: [id, ...ends], withRows: true },
    { kind: "items", of: "o", keys: [id] },
  ];
  return writeThread(thread, asks, async ({ head, answers: [named, overlays] }) => {
    if (head === undefined) throw noThread();
    const state = viewStateIn(head, view);
    const done = overlays?.items.get(id);
    if (done !== undefined && sameJson(JSON.parse(overlayIn(done).json), JSON.parse(json)))
      return { result: { viewRevision: state.revision }, change: { head } };
    if (named?.items.has(id) === true)
      throw duplicateId(id, "is already used by another entry of the thread");
    if (state.revision !== expectedViewRevision)
      throw conflict("the view revision", expectedViewRevision, state.revision);
    const runs = runsOf(covers, view, state, named);
    const place = runs[0]?.[0];
    if (place === undefined) throw notCovered(id);
    const tops = state.tops.filter(([at]) => runs.some(([from, to]) => from <= at && at <= to));
    const under = tops.map(([, one]) => one);
    const stored = { seq: head.summaries, view, place, runs, under, json };
    const shown = {
      revision: state.revision + 1,
      hidden: mergedSpans([...state.hidden, ...runs]),
      tops: [...state.tops.filter((one) => !tops.includes(one)), [place, id] as const].toSorted(
        ([one], [other]) => one - other,
      ),
    };
    const gone = await goneTurns(thread, head, view, shown);
    const next = { ...shown, ...(gone !== undefined && { gone }) };
    const views = { ...head.views, [view]: next };
    return {
      result: { viewRevision: next.revision },
      change: {
        head: { ...head, summaries: head.summaries + 1, views },
        absent: [["i", id]],
        put: [
          ["i", id, OF_VIEW],
          ["o", id, JSON.stringify(stored)],
        ],
      },
    };
  });
};

/** Converts runs of entry ids to runs of positions. */
function runsOf(
  covers: readonly EntryRun[],
  view: HistoryView,
  state: ViewState,
  named: Answer | undefined,
) {
  const rows = new Map((named?.rows ?? []).map((row) => [row.position, loadSound(row).entry]));
  const placeOf = (name: string): number => {
    const top = state.tops.find(([, one]) => one === name);
    if (top !== undefined) return top[0];
    const at = positionIn(named, name);
    const entry = at === undefined ? undefined : rows.get(at);
    if (at === undefined || entry === undefined || !mayCover(view, entry)) return -1;
    return isHidden(state, view, entry, at) ? -1 : at;
  };
  const runs: Span[] = [];
  for (const { from, to } of covers) {
    const [start, end] = [placeOf(from), placeOf(to)];
    if (start <= (runs.at(-1)?.[1] ?? -1) || end < start) throw notCovered(start < 0 ? from : to);
    runs.push([start, end]);
  }
  return runs;
}

/**
 * Counts the turns that a view hides completely, from the previous count and the newly hidden rows. `undefined` if entries were added to older turns, or if the whole newest turn is hidden,
 * as it may continue.
 */
async function goneTurns(thread: Thread, head: Head, view: HistoryView, after: ViewState) {
  if (head.log.late >= 0) return undefined;
  const { hidden, gone = hidden.length === 0 ? 0 : undefined } = viewStateIn(head, view);
  /** What the view hid before, as far as its turns are counted. */
  const before = { ...after, hidden: gone === undefined ? [] : hidden };
  let begin = Infinity;
  for (const [from, to] of after.hidden) {
    const known = before.hidden.find(([first, last]) => first <= from && from <= last);
    const next = known === undefined ? from : known[1] + 1;
    if (next <= to) begin = Math.min(begin, next);
  }
  const to = after.hidden.at(-1)?.[1] ?? -1;
  /** For each turn, whether an entry is shown, and whether an entry is newly hidden. */
  const turns = new Map<number, { isShown: boolean; isNew: boolean }>();
  const start = begin === Infinity ? head.entryCount : await turnStart(thread, begin);
  // If the log has changed, the commit fails, and all is read again.
  for await (const rows of pagesOf(thread, head, start, head.entryCount))
    if (rows?.every(take) !== true) break;
  if (turns.get(head.log.newest)?.isShown === false) return undefined;
  return (gone ?? 0) + [...turns.values()].filter(({ isShown, isNew }) => !isShown && isNew).length;

  /** Counts a row; returns false if it begins a turn after the last hidden row. */
  function take({ entry, position, turn, isErased }: LoadedRow): boolean {
    if (position > to && !turns.has(turn)) return false;
    const { isShown, isNew } = turns.get(turn) ?? { isShown: false, isNew: false };
    const isGone = isHidden(after, view, entry, position);
    turns.set(turn, {
      isShown: isShown || (!isGone && !isErased && entry.turnId !== undefined),
      isNew: isNew || (isGone && !isHidden(before, view, entry, position)),
    });
    return true;
  }
}

/** The start position of a row's turn. */
async function turnStart(thread: Thread, position: number): Promise<number> {
  const ask: Ask = { kind: "rows", from: position, to: position + 1, limit: 1 };
  const [row] = (await look(thread, [ask])).answers[0]?.rows ?? [];
  const turnId = row && loadSound(row).entry.turnId;
  if (turnId === undefined) return 0;
  const { answers } = await look(thread, [{ kind: "items", of: "t", keys: [turnId] }]);
  return Number.parseInt(answers[0]?.items.get(turnId) ?? "0", 10);
}

/** Removes a summary: the view shows again what it covered. */
export const expandSummary: ThreadVerb<"expand"> = async (thread, summaryId) => {
  const asks: readonly Ask[] = [{ kind: "items", of: "o" }];
  return writeThread(thread, asks, ({ head, answers }) => {
    if (head === undefined) throw noThread();
    const overlays = overlaysIn(answers[0]);
    const view = overlays.find(({ summary }) => summary.id === summaryId)?.view;
    if (!viewStateIn(head, view).tops.some(([, id]) => id === summaryId))
      throw notFound(
        "Expected the id of a summary that its view shows. Expand the summary that covers it first.",
        summaryId,
      );
    const { views, drop } = withoutSummaries(
      head,
      overlays,
      ({ summary }) => summary.id === summaryId,
    );
    const next = { ...head, views };
    const result = { viewRevision: viewStateIn(next, view).revision };
    return { result, change: { head: next, drop } };
  });
};

function notCovered(entryId: string): HistoryError {
  return notFound(
    "Expected `covers` to name runs of entries that the view shows and that may be covered, in order. Read the view again.",
    entryId,
  );
}

/** The positions that a view hides, and the summaries that it shows instead. */
export interface ViewState {
  readonly revision: number;
  /** Ranges of positions, inclusive, in order, in which the view's entries are hidden. */
  readonly hidden: readonly Span[];
  /** The summaries that the view shows, with their positions, in order. */
  readonly tops: readonly (readonly [place: number, id: string])[];
  /** Number of completely hidden turns, if known. */
  readonly gone?: number;
}

export type Views = Readonly<Record<string, ViewState>>;

export type Span = readonly [from: number, to: number];

/** A committed summary. */
export interface Overlay {
  /** Commit order within the thread. */
  readonly seq: number;
  readonly view: HistoryView;
  /** The position at which it is shown: that of the first entry that it covers. */
  readonly place: number;
  readonly runs: readonly Span[];
  /** The summaries that it covers. */
  readonly under: readonly string[];
  readonly summary: SummaryEntry;
  /** The stored form of the summary. */
  readonly json: string;
}

/** Returns whether a view hides an entry. */
export function isHidden(
  { hidden }: ViewState,
  view: HistoryView | undefined,
  entry: HistoryEntry,
  position: number,
): boolean {
  if (view === undefined || hidden.length === 0) return false;
  return hidden.some(([from, to]) => from <= position && position <= to) && mayCover(view, entry);
}

/** Returns whether summaries of a view may cover an entry. */
function mayCover(view: HistoryView, entry: HistoryEntry): boolean {
  return isInView(entry, view) && entry.type !== "system_message" && entry.pinned !== true;
}

/** Joins spans that touch. */
function mergedSpans(spans: readonly Span[]): readonly Span[] {
  const found: [number, number][] = [];
  for (const [from, to] of spans.toSorted(([one], [other]) => one - other)) {
    const last = found.at(-1);
    if (last !== undefined && from <= last[1] + 1) last[1] = Math.max(last[1], to);
    else found.push([from, to]);
  }
  return found;
}

/** Raises the revisions of the views that lose a summary. */
const ofChanged = (revision: number, isChanged: boolean): number =>
  isChanged ? revision + 1 : revision;

/**
 * Removes summaries, and those that cover one of them. Returns what is left, the items to drop, and the states of the views with the first `end` entries of the log.
 */
export function withoutSummaries(
  {
    views,
    entryCount,
  }: { readonly views: Readonly<Record<string, ViewState>>; readonly entryCount: number },
  overlays: readonly Overlay[],
  isGone: (overlay: Overlay) => boolean,
  end: number = entryCount,
  revise: (revision: number, isChanged: boolean) => number = ofChanged,
): { readonly kept: readonly Overlay[]; readonly drop: readonly ItemKey[]; readonly views: Views } {
  const gone = new Set<string>();
  const kept = overlays.filter((one) => {
    const isKept = !isGone(one) && !one.under.some((id) => gone.has(id));
    if (!isKept) gone.add(one.summary.id);
    return isKept;
  });
  const covered = new Set(kept.flatMap(({ under }) => under));
  const states = Object.entries(views).map(([view, before]) => {
    const own = kept.filter((one) => one.view === view);
    const isChanged = overlays.some((one) => one.view === view && gone.has(one.summary.id));
    const hidden = mergedSpans(own.flatMap(({ runs }) => runs));
    const tops = own
      .filter(({ summary }) => !covered.has(summary.id))
      .map(({ place, summary }) => [place, summary.id] as const)
      .toSorted(([one], [other]) => one - other);
    // The count of hidden turns stays valid if the last entry that is left is shown.
    const isShown = (before.hidden.at(-1)?.[1] ?? end) < end - 1;
    const isSame = isShown && JSON.stringify(hidden) === JSON.stringify(before.hidden);
    const revision = revise(before.revision, isChanged);
    return [
      view,
      { revision, hidden, tops, ...(isSame && before.gone !== undefined && { gone: before.gone }) },
    ] as const;
  });
  const drop = [...gone].flatMap((id): readonly ItemKey[] => [
    ["o", id],
    ["i", id],
  ]);
  return { kept, drop, views: Object.fromEntries<ViewState>(states) };
}

/** Parses the item of a summary. */
export function overlayIn(item: string): Overlay {
  const stored: Omit<Overlay, "summary"> = Object(jsonIn(item));
  if (typeof stored.json !== "string" || !Array.isArray(stored.runs)) throw corruptSummary();
  const summary = decodeEntry(stored.json);
  if (summary.type === "summary") return { ...stored, summary };
  throw corruptSummary();
}

/** The error for a summary that is missing or unreadable. */
export function corruptSummary(): HistoryError {
  return corrupt("a summary of the thread", { reason: "summary" });
}

/** Parses the summaries of a thread from their items, in commit order. */
export function overlaysIn(answer: Answer | undefined): readonly Overlay[] {
  const overlays = Array.from(answer?.items.values() ?? [], overlayIn);
  return overlays.toSorted((one, other) => one.seq - other.seq);
}
