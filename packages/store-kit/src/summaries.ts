import type { EntryRun, HistoryView, SummaryEntry } from "@agent-history/core";
import { HistoryError, sameJson } from "@agent-history/core";

import type { Answer, Ask } from "./driver.ts";
import { duplicateId, notFound, noThread, revisionConflict, viewStateIn } from "./head.ts";
import type { Head } from "./head.ts";
import { prepareBatch } from "./prepare-batch.ts";
import { entryOf, loadSound, OF_VIEW, positionIn } from "./stored-log.ts";
import type { LoadedRow } from "./stored-log.ts";
import { knowThread, lookAt, writeThread } from "./thread-access.ts";
import type { Call, Decision, Known, ThreadAccess } from "./thread-access.ts";
import { ROWS_PAGE } from "./thread-part.ts";
import { isHidden, mayCover, mergedSpans, viewStateOf, withoutSpans } from "./views.ts";
import type { Overlay, Span, ViewState } from "./views.ts";

/** A summary as an item `o` holds it: with its stored form. */
type StoredOverlay = Omit<Overlay, "summary"> & { readonly json: string };

/** The stored form of a summary, from its item. */
export function summaryJson(item: string | undefined): string | undefined {
  if (item === undefined) return undefined;
  return storedIn(item).json;
}

function storedIn(item: string): StoredOverlay {
  try {
    const stored: StoredOverlay | null = JSON.parse(item);
    if (typeof stored?.json === "string" && Array.isArray(stored.runs)) return stored;
  } catch {
    // The engine's own error would quote the text.
  }
  throw corruptSummary();
}

/** What a view shows is not there, or cannot be read. */
export function corruptSummary(cause?: unknown): HistoryError {
  return new HistoryError(
    "Expected a summary of the thread to be what this package writes. Restore a backup, or delete the thread.",
    { code: "THREAD_CORRUPT", details: { reason: "summary" }, cause },
  );
}

/** Reads the summaries of a thread from their items, in the order of their commits. */
export function overlaysIn(answer: Answer | undefined): readonly Overlay[] {
  const overlays = [...(answer?.items.values() ?? [])].map((item): Overlay => {
    const { json, ...stored } = storedIn(item);
    return { ...stored, summary: summaryOf(json) };
  });
  return overlays.toSorted((one, other) => one.seq - other.seq);
}

/** Reads a summary from its stored form. */
export function summaryOf(json: string): SummaryEntry {
  const entry = entryOf(json);
  if (entry.type === "summary") return entry;
  throw corruptSummary();
}

/** All summaries of a thread, in the order of their commits. */
export async function listSummaries(
  access: ThreadAccess,
  threadId: string,
  { signal }: Call = {},
): Promise<readonly SummaryEntry[]> {
  const { answers } = await knowThread(access, threadId, [{ kind: "items", of: "o" }], signal);
  return overlaysIn(answers[0]).map(({ summary }) => summary);
}

/** What a compaction is. */
export interface Compaction extends Call {
  readonly view: HistoryView;
  readonly summary: SummaryEntry;
  readonly covers: readonly EntryRun[];
  readonly expectedViewRevision: number;
}

/** Lets a summary stand for runs of what a view shows. */
export async function commitCompaction(
  access: ThreadAccess,
  threadId: string,
  { view, summary, covers, expectedViewRevision, signal }: Compaction,
): Promise<{ readonly viewRevision: number }> {
  const stated = { ...summary, view, covers };
  const [prepared] = prepareBatch([stated], { allowsViews: true }).entries;
  const { entry, json } = prepared ?? { entry: stated, json: "" };
  const { id } = entry;
  const ends = covers.flatMap(({ from, to }) => [from, to]);
  const asks: readonly Ask[] = [
    { kind: "named", ids: [id, ...ends] },
    { kind: "items", of: "o", keys: [id] },
  ];
  const decide = async ({
    head,
    answers: [named, overlays],
  }: Known): Promise<Decision<{ readonly viewRevision: number }>> => {
    if (head === undefined) throw noThread();
    const state = viewStateIn(head, view);
    const known = summaryJson(overlays?.items.get(id));
    if (known !== undefined && sameJson(JSON.parse(known), JSON.parse(json)))
      return { result: { viewRevision: state.revision }, isKnown: true };
    if (named?.items.has(id) === true)
      throw duplicateId(id, "stands for another entry of the thread");
    if (state.revision !== expectedViewRevision)
      throw revisionConflict("view revision", expectedViewRevision, state.revision);
    const runs = runsOf(covers, view, state, named);
    const place = runs[0]?.[0];
    if (place === undefined) throw notCovered(id);
    const tops = state.tops.filter(([at]) => runs.some(([from, to]) => from <= at && at <= to));
    const under = tops.map(([, one]) => one);
    const stored = { seq: head.summaries, view, place, runs, under, json };
    const shown = withSummary(state, runs, tops, [place, id]);
    const gone = await goneTurns({ access, threadId, head, view, signal }, state, shown);
    const next = gone === undefined ? shown : { ...shown, gone };
    return {
      result: { viewRevision: next.revision },
      change: {
        head: {
          ...head,
          summaries: head.summaries + 1,
          views: { ...head.views, [view]: next },
        },
        absent: [["i", id]],
        put: [
          ["i", id, OF_VIEW],
          ["o", id, JSON.stringify(stored)],
        ],
      },
    };
  };
  return writeThread(access, threadId, { asks, decide, isRecognized: true }, signal);
}

/** A view with one more summary, in place of those that it covers. */
function withSummary(
  state: ViewState,
  runs: readonly Span[],
  covered: ViewState["tops"],
  top: ViewState["tops"][number],
): ViewState {
  const others = state.tops.filter((one) => !covered.includes(one));
  return {
    revision: state.revision + 1,
    hidden: mergedSpans([...state.hidden, ...runs]),
    tops: [...others, top].toSorted(([one], [other]) => one - other),
  };
}

/** Finds the positions between which runs of what a view shows lie. */
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

/** A view whose turns are counted. */
interface CountedView {
  readonly access: ThreadAccess;
  readonly threadId: string;
  readonly head: Head;
  readonly view: HistoryView;
  readonly signal: AbortSignal | undefined;
}

/**
 * Counts the turns that a view hides whole, from those that it hid before and the rows that are newly hidden. `undefined` if entries came late to older turns, or all of the newest turn is
 * hidden, which may go on.
 */
async function goneTurns(
  { access, threadId, head, view, signal }: CountedView,
  before: ViewState,
  after: ViewState,
): Promise<number | undefined> {
  const { log, entryCount } = head;
  const isCounted = before.hidden.length === 0 || before.gone !== undefined;
  if (log.late >= 0) return undefined;
  /** Whether something of a turn is shown, and something newly hidden. */
  const turns = new Map<number, { isShown: boolean; isNew: boolean }>();
  const known = isCounted ? before.hidden : [];
  let done = 0;
  for (const [from, to] of withoutSpans(after.hidden, known)) {
    const start = Math.max(done, await turnStart(access, threadId, from, signal));
    for (let at = start; at < entryCount;) {
      const ask: Ask = { kind: "rows", from: at, to: entryCount, limit: ROWS_PAGE, forward: true };
      const rows = (await lookAt(access, threadId, [ask], signal)).answers[0]?.rows ?? [];
      if (rows.length === 0) return undefined;
      const loaded = rows.map(loadSound);
      const end = loaded.findIndex((row) => !take(row, to));
      if (end === 0) break;
      at = (loaded.at(end < 0 ? -1 : end - 1)?.position ?? at) + 1;
      done = at;
      if (end > 0) break;
    }
  }
  const isHiddenWhole = (turn: number): boolean => turns.get(turn)?.isShown === false;
  if (isHiddenWhole(log.newest)) return undefined;
  const found = [...turns].filter(([, { isShown, isNew }]) => !isShown && isNew);
  return (isCounted ? (before.gone ?? 0) : 0) + found.length;

  /** Takes a row; returns false for one of a turn behind the span. */
  function take({ entry, position, turn, isErased }: LoadedRow, to: number): boolean {
    const one = turns.get(turn) ?? { isShown: false, isNew: false };
    if (position > to && !turns.has(turn)) return false;
    const isGone = isHidden(after, view, entry, position);
    one.isShown ||= !isGone && !isErased && entry.turnId !== undefined;
    one.isNew ||= isGone && !(isCounted && isHidden(before, view, entry, position));
    turns.set(turn, one);
    return true;
  }
}

/** Where the turn of a row began. */
async function turnStart(
  access: ThreadAccess,
  threadId: string,
  position: number,
  signal: AbortSignal | undefined,
): Promise<number> {
  const ask: Ask = { kind: "rows", from: position, to: position + 1, limit: 1 };
  const [row] = (await lookAt(access, threadId, [ask], signal)).answers[0]?.rows ?? [];
  const turnId = row && loadSound(row).entry.turnId;
  if (turnId === undefined) return 0;
  const items: Ask = { kind: "items", of: "t", keys: [turnId] };
  const found = (await lookAt(access, threadId, [items], signal)).answers[0]?.items.get(turnId);
  return Number.parseInt(found ?? "0", 10);
}

/** Takes a summary away: what it covered is shown again. */
export async function expandSummary(
  access: ThreadAccess,
  threadId: string,
  summaryId: string,
  { signal }: Call = {},
): Promise<{ readonly viewRevision: number }> {
  const decide = ({
    head,
    answers: [summaries],
  }: Known): Decision<{ readonly viewRevision: number }> => {
    if (head === undefined) throw noThread();
    const overlays = overlaysIn(summaries);
    const view = overlays.find(({ summary }) => summary.id === summaryId)?.view;
    const state = viewStateIn(head, view);
    if (view === undefined || !state.tops.some(([, id]) => id === summaryId))
      throw notFound(
        "Expected the id of a summary that its view shows. Expand the summary that covers it first.",
        summaryId,
      );
    const others = overlays.filter((one) => one.view === view && one.summary.id !== summaryId);
    const next = viewStateOf(others, state.revision + 1);
    return {
      result: { viewRevision: next.revision },
      change: {
        head: { ...head, views: { ...head.views, [view]: next } },
        drop: [
          ["i", summaryId],
          ["o", summaryId],
        ],
      },
    };
  };
  const asks: readonly Ask[] = [{ kind: "items", of: "o" }];
  return writeThread(access, threadId, { asks, decide, isRecognized: false }, signal);
}

/** The view states of a thread that has these summaries left, and these first entries. */
export function viewsOf(
  overlays: readonly Overlay[],
  before: Head["views"],
  end: number,
  revise: (revision: number, view: string) => number,
): Head["views"] {
  const states = Object.entries(before).map(([view, { revision, hidden, gone }]) => {
    const own = overlays.filter((one) => one.view === view);
    const state = viewStateOf(own, revise(revision, view));
    // Turns that are hidden whole stay so, as long as the newest that is left is none of them.
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
