import type { EntryRun, HistoryView, SummaryEntry } from "@agent-history/core";
import { HistoryError, sameJson } from "@agent-history/core";

import { deriveViewState } from "./derive-view-state.ts";
import { answered, fetchRound } from "./fetch-round.ts";
import { prepareBatch } from "./prepare-batch.ts";
import { readOutline, summariesOf } from "./read-outline.ts";
import { requireCoverage } from "./require-coverage.ts";
import type { StoredSummary, StoreProgram } from "./store-program.ts";
import { headOf } from "./thread-head.ts";
import type { ThreadHead } from "./thread-head.ts";
import { viewStateOf } from "./view-state.ts";

/**
 * What a commit or an expand comes to. To be written in one step, where the view's revision is still `viewRevision`; else run the
 * program again (of a commit, it then throws `VERSION_CONFLICT`, or finds the summary committed).
 */
export interface CompactionChange {
  readonly kind: "change";
  readonly view: HistoryView;
  /** The view's revision now. It becomes one more. */
  readonly viewRevision: number;
  /** The view's new state. */
  readonly state: string;
  /** To add after all others; of a commit. Refuse it (`DUPLICATE_ID`) where its id came into the log or another view meanwhile. */
  readonly add?: StoredSummary;
  /** The id of the one to take away; of an expand. */
  readonly remove?: string;
}

/** The same summary was committed before. Nothing to write. */
export interface CompactionKnown {
  readonly kind: "known";
  readonly viewRevision: number;
}

/**
 * Checks a compaction against what its view shows, and works out what to write. Linear in the thread, by its references.
 *
 * @throws `HistoryError` with code `VERSION_CONFLICT` if the revision is another, `NOT_FOUND` where `covers` names what the view
 * does not show, `DUPLICATE_ID` where the summary's id stands for something else, `TOO_LARGE`, `INVALID_ENTRY`.
 */
export function* commitProgram(options: {
  readonly view: HistoryView;
  readonly summary: SummaryEntry;
  readonly covers: readonly EntryRun[];
  readonly expectedViewRevision: number;
}): StoreProgram<CompactionChange | CompactionKnown> {
  const { view, expectedViewRevision } = options;
  const overlay: SummaryEntry = { ...options.summary, view, covers: options.covers };
  const [prepared] = prepareBatch([overlay], { allowsViews: true }).entries;
  const json = prepared?.json ?? "";
  const { id } = overlay;
  const current = yield* readView(view, [id]);
  const { viewRevision, head, summaries, taken } = current;
  if (isKnown(id, json, taken)) return { kind: "known", viewRevision };
  if (viewRevision !== expectedViewRevision) throw conflict(expectedViewRevision, viewRevision);
  const outline = yield* readOutline(view, summaries, [overlay], head.version);
  requireCoverage(outline, overlay);
  const state = deriveViewState({ ...outline, summaries: [...summaries, overlay] }, head);
  return {
    kind: "change",
    view,
    viewRevision,
    state: JSON.stringify(state),
    add: { id, view, json },
  };
}

/**
 * Works out what undoing a summary comes to. Linear in the thread, by its references.
 *
 * @throws `HistoryError` with code `NOT_FOUND` if its view does not show it.
 */
export function* expandProgram(options: {
  readonly summaryId: string;
}): StoreProgram<CompactionChange> {
  const { summaryId } = options;
  const [answer] = yield* fetchRound([{ kind: "summaries", ids: [summaryId] }]);
  const [summary] = answered("summaries", answer).summaries;
  if (summary === undefined) throw notShown(summaryId);
  const { view } = summary;
  const { viewRevision, head, summaries, shown } = yield* readView(view, []);
  if (!shown.has(summaryId)) throw notShown(summaryId);
  const rest = summaries.filter(({ id }) => id !== summaryId);
  const outline = yield* readOutline(view, rest, [], head.version);
  const state = deriveViewState(outline, head);
  return { kind: "change", view, viewRevision, state: JSON.stringify(state), remove: summaryId };
}

interface CurrentView {
  readonly head: ThreadHead;
  readonly viewRevision: number;
  readonly summaries: readonly SummaryEntry[];
  /** The summaries that stand in it. */
  readonly shown: ReadonlySet<string>;
  /** What stands under the ids that were asked for: the text of a summary, or none where it is an entry, or was one. */
  readonly taken: ReadonlyMap<string, string | undefined>;
}

function* readView(view: HistoryView, ids: readonly string[]): StoreProgram<CurrentView> {
  const [threadAnswer, overlaysAnswer, takenAnswer, positionsAnswer, replacedAnswer] =
    yield* fetchRound([
      { kind: "thread", view },
      { kind: "overlays", view },
      { kind: "summaries", ids },
      { kind: "positions", ids },
      { kind: "replaced", ids },
    ]);
  const { head, state, viewRevision } = answered("thread", threadAnswer);
  const { summaries } = answered("summaries", takenAnswer);
  const { positions } = answered("positions", positionsAnswer);
  const { replaced } = answered("replaced", replacedAnswer);
  return {
    head: headOf(head),
    viewRevision,
    summaries: summariesOf(answered("summaries", overlaysAnswer).summaries),
    shown: new Set(viewStateOf(state)?.shown.map(({ id }) => id)),
    taken: new Map([
      ...[...positions.keys(), ...replaced.keys()].map((id) => [id, undefined] as const),
      ...summaries.map(({ id, json }) => [id, json] as const),
    ]),
  };
}

function isKnown(
  id: string,
  json: string,
  taken: ReadonlyMap<string, string | undefined>,
): boolean {
  if (!taken.has(id)) return false;
  const known = taken.get(id);
  if (known !== undefined && sameJson(JSON.parse(known), JSON.parse(json))) return true;
  throw new HistoryError(
    `The entry id ${JSON.stringify(id)} belongs to another entry of the thread. Nothing was written.`,
    { code: "DUPLICATE_ID", details: { entryId: id } },
  );
}

function conflict(expected: number, actual: number): HistoryError {
  return new HistoryError(
    `Expected the view's revision to be ${expected}, but it is ${actual}. Read again, then write again.`,
    { code: "VERSION_CONFLICT", details: { expected, actual } },
  );
}

function notShown(entryId: string): HistoryError {
  return new HistoryError(
    "Expected the id of a summary that its view shows. Expand the summary that covers it first.",
    { code: "NOT_FOUND", details: { entryId } },
  );
}
