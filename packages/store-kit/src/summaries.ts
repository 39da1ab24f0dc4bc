import type { EntryRun, HistoryStore, HistoryView, SummaryEntry } from "@agent-history/core";
import { sameJson } from "@agent-history/core";
import type { HistoryError } from "@agent-history/core";

import { changedBefore, prepareBatch } from "./append-entries.ts";
import type { Answer, Ask } from "./driver.ts";
import { viewStateIn } from "./head.ts";
import type { Head } from "./head.ts";
import { duplicateId, notFound, noThread, revisionConflict } from "./store-errors.ts";
import { loadSound, OF_VIEW, positionIn } from "./stored-log.ts";
import type { LoadedRow } from "./stored-log.ts";
import { know, look, pagesOf, writeThread } from "./thread-access.ts";
import type { Thread } from "./thread-access.ts";
import { isHidden, mayCover, mergedSpans, overlayIn, overlaysIn, viewStateOf } from "./views.ts";
import type { Overlay, Span, ViewState } from "./views.ts";

/** All summaries of a thread, in the order of their commits. */
export async function listSummaries(thread: Thread): Promise<readonly SummaryEntry[]> {
  const { answers } = await know(thread, [{ kind: "items", of: "o" }]);
  return overlaysIn(answers[0]).map(({ summary }) => summary);
}

/** Replaces runs of shown entries by a summary in a view. */
export async function commitCompaction(
  thread: Thread,
  options: Parameters<HistoryStore["commitCompaction"]>[1],
): ReturnType<HistoryStore["commitCompaction"]> {
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
      throw revisionConflict("view revision", expectedViewRevision, state.revision);
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
}

/** Converts runs of entry ids to runs of positions. */
function runsOf(
  covers: readonly EntryRun[],
  view: HistoryView,
  state: ViewState,
  named: Answer | undefined,
): readonly Span[] {
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
async function goneTurns(
  thread: Thread,
  head: Head,
  view: HistoryView,
  after: ViewState,
): Promise<number | undefined> {
  const { log, entryCount } = head;
  if (log.late >= 0) return undefined;
  const before = viewStateIn(head, view);
  const { gone = before.hidden.length === 0 ? 0 : undefined } = before;
  /** For each turn, whether an entry is shown, and whether an entry is newly hidden. */
  const turns = new Map<number, { isShown: boolean; isNew: boolean }>();
  for (const [from, to] of after.hidden) {
    const known = before.hidden.find(([first, last]) => first <= from && from <= last);
    const begin = known === undefined || gone === undefined ? from : known[1] + 1;
    if (begin > to) continue;
    const start = await turnStart(thread, begin);
    // If the log has changed, the commit fails, and all is read again.
    for await (const rows of pagesOf(thread, head, start, entryCount))
      if (rows?.every((row) => take(row, to)) !== true) break;
  }
  if (turns.get(log.newest)?.isShown === false) return undefined;
  const found = [...turns.values()].filter(({ isShown, isNew }) => !isShown && isNew);
  return (gone ?? 0) + found.length;

  /** Counts a row; returns false if it begins a turn after the span. */
  function take({ entry, position, turn, isErased }: LoadedRow, to: number): boolean {
    const one = turns.get(turn) ?? { isShown: false, isNew: false };
    if (position > to && !turns.has(turn)) return false;
    const isGone = isHidden(after, view, entry, position);
    one.isShown ||= !isGone && !isErased && entry.turnId !== undefined;
    one.isNew ||= isGone && !(gone !== undefined && isHidden(before, view, entry, position));
    turns.set(turn, one);
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
export async function expandSummary(
  thread: Thread,
  summaryId: string,
): ReturnType<HistoryStore["expand"]> {
  const asks: readonly Ask[] = [{ kind: "items", of: "o" }];
  return writeThread(thread, asks, ({ head, answers }) => {
    if (head === undefined) throw noThread();
    const overlays = overlaysIn(answers[0]);
    const view = overlays.find(({ summary }) => summary.id === summaryId)?.view;
    const state = viewStateIn(head, view);
    if (view === undefined || !state.tops.some(([, id]) => id === summaryId))
      throw notFound(
        "Expected the id of a summary that its view shows. Expand the summary that covers it first.",
        summaryId,
      );
    const others = overlays.filter((one) => one.view === view && one.summary.id !== summaryId);
    const next = viewStateOf(others, state.revision + 1);
    const drop = [
      ["i", summaryId],
      ["o", summaryId],
    ] as const;
    return {
      result: { viewRevision: next.revision },
      change: { head: { ...head, views: { ...head.views, [view]: next } }, drop },
    };
  });
}

/** The view states of a thread after it was cut or summaries were removed: with the summaries and the first `end` entries that are left. */
export function viewsOf(
  overlays: readonly Overlay[],
  before: Head["views"],
  end: number,
  revise: (revision: number, view: string) => number,
): Head["views"] {
  const states = Object.entries(before).map(([view, { revision, hidden, gone }]) => {
    const own = overlays.filter((one) => one.view === view);
    const state = viewStateOf(own, revise(revision, view));
    // The count of hidden turns stays valid if the last entry that is left is shown.
    const isShown = (hidden.at(-1)?.[1] ?? end) < end - 1;
    const isSame = isShown && JSON.stringify(state.hidden) === JSON.stringify(hidden);
    return [view, isSame && gone !== undefined ? { ...state, gone } : state] as const;
  });
  return Object.fromEntries(states);
}

function notCovered(entryId: string): HistoryError {
  return notFound(
    "Expected `covers` to name runs of entries that the view shows and that may be covered, in order. Read the view again.",
    entryId,
  );
}
