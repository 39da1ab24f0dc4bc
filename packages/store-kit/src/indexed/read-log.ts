import type {
  HistoryEntry,
  HistoryQuery,
  ReadResult,
  StoredEntryProblem,
} from "@agent-history/core";
import { HistoryError, applyCompactions } from "@agent-history/core";
import { selectPage } from "@agent-history/core/kit";

import { decodeRows } from "./decode-rows.ts";
import type { LogRow, ReadEntry } from "./decode-rows.ts";
import { answered, fetchRound } from "./fetch-round.ts";
import { PAGE_ROWS } from "./pages-of.ts";
import { eachInSteps } from "./pauses.ts";
import { resultOf } from "./read-entries.ts";
import { countsOf } from "./replaced-entries.ts";
import type { ThreadCounts } from "./replaced-entries.ts";
import type { StoreProgram } from "./store-program.ts";
import { viewStateOf } from "./view-state.ts";

/** Reads the whole log and evaluates a query on it. What a page costs is done before the next is asked for. */
export function* readLog(query: HistoryQuery, originals: boolean): StoreProgram<ReadResult> {
  const { counts, viewRevision, summaries } = yield* readOverlays(query);
  const version = counts.entryCount;
  const log = yield* readDecodedLog(version);
  const overlays = decodeRows(summaries.map((json) => ({ position: -1, json })));
  // A summary stands nowhere in the log.
  const ofSummaries = overlays.problems.map((problem) => ({ ...problem, position: version }));
  const problems = [...log.problems, ...ofSummaries];
  const isWhole = originals || summaries.length === 0;
  if (isWhole && asksEverything(query)) {
    return { ...resultOf(log.entries, counts, viewRevision, undefined), problems };
  }
  const all = isWhole ? log.entries : [...log.entries, ...overlays.entries];
  const readOf = new Map<HistoryEntry, ReadEntry>();
  yield* eachInSteps(all, (one) => readOf.set(one.entry, one));
  const entries = [...readOf.keys()];
  const shown = isWhole ? entries : applyCompactions(entries, query.view);
  const page = selectPage(shown, query);
  const read: ReadEntry[] = [];
  yield* eachInSteps(page.entries, (entry) => {
    const one = readOf.get(entry);
    if (one !== undefined) read.push(one);
  });
  return { ...resultOf(read, counts, viewRevision, page.next), problems };
}

/** Returns whether a query shows every entry: nothing is left to be evaluated. */
function asksEverything({
  clauses,
  view: _,
  splitExchanges: __,
  ...limits
}: HistoryQuery): boolean {
  const isNone = (conditions: object): boolean =>
    Object.values(conditions).every((condition) => condition === undefined);
  const isUnlimited = Object.values(limits).every(
    (limit) => limit === undefined || limit === Infinity,
  );
  return isUnlimited && clauses.some(isNone);
}

function* readDecodedLog(version: number): StoreProgram<ReturnType<typeof decodeRows>> {
  const entries: ReadEntry[] = [];
  const problems: StoredEntryProblem[] = [];
  for (let from = 0; from < version; from += PAGE_ROWS) {
    const rows = yield* readLogPage(from, Math.min(version, from + PAGE_ROWS));
    const page = decodeRows(rows);
    for (const one of page.entries) entries.push(one);
    for (const problem of page.problems) problems.push(problem);
  }
  return { entries, problems };
}

/** Reads the rows at `from <= position < to`, one for each position. */
export function* readLogPage(from: number, to: number): StoreProgram<readonly LogRow[]> {
  const [answer] = yield* fetchRound([{ kind: "log", from, to }]);
  const found = new Map(answered("entries", answer).rows.map((row) => [row.position, row]));
  return Array.from({ length: to - from }, (_, index) => {
    const position = from + index;
    return found.get(position) ?? { position };
  });
}

/** The reason for reading the whole log that is none to worry about. */
export const EVERYTHING = "everything is asked for";

interface Overlays {
  readonly counts: ThreadCounts;
  readonly viewRevision: number;
  readonly summaries: readonly string[];
}

/** The summaries of a view, of the same moment as its revision. */
function* readOverlays({ view }: HistoryQuery): StoreProgram<Overlays> {
  if (view === undefined) {
    const [answer] = yield* fetchRound([{ kind: "thread" }]);
    const { head, viewRevision } = answered("thread", answer);
    return { counts: countsOf(head), viewRevision, summaries: [] };
  }
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const [threadAnswer, summariesAnswer] = yield* fetchRound([
      { kind: "thread", view },
      { kind: "overlays", view },
    ]);
    const { head, state, viewRevision } = answered("thread", threadAnswer);
    const { summaries } = answered("summaries", summariesAnswer);
    if (summaries.length !== (viewStateOf(state)?.count ?? 0)) continue;
    return { counts: countsOf(head), viewRevision, summaries: summaries.map(({ json }) => json) };
  }
  throw new HistoryError(
    "Expected a view to have as many summaries as its state says. Nothing was changed.",
    { code: "THREAD_CORRUPT", details: { reason: "summaries" } },
  );
}

const MAX_TRIES = 8;
