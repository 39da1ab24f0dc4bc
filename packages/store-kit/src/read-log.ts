import type { HistoryEntry, HistoryQuery, ReadResult } from "@agent-history/core";
import { HistoryError, applyCompactions } from "@agent-history/core";
import { selectPage } from "@agent-history/core/query-parts";

import { decodeRows } from "./decode-rows.ts";
import type { LogRow, ReadEntry } from "./decode-rows.ts";
import { answered, fetchRound } from "./fetch-round.ts";
import { versionOf } from "./index-batch.ts";
import { resultOf } from "./read-entries.ts";
import type { StoreProgram } from "./store-program.ts";
import { viewStateOf } from "./view-state.ts";

/** Reads the whole log and evaluates a query on it. */
export function* readLog(query: HistoryQuery, originals: boolean): StoreProgram<ReadResult> {
  const { version, viewRevision, summaries } = yield* readOverlays(query);
  const rows = yield* readLogRows(version);
  const log = decodeRows(rows);
  const overlays = decodeRows(summaries.map((json) => ({ position: -1, json })));
  const all = originals ? log.entries : [...log.entries, ...overlays.entries];
  const byId = new Map<HistoryEntry, ReadEntry>(all.map((one) => [one.entry, one]));
  const entries = all.map(({ entry }) => entry);
  const shown = originals ? entries : applyCompactions(entries, query.view);
  const page = selectPage(shown, query);
  const read = page.entries.flatMap((entry) => byId.get(entry) ?? []);
  // A summary stands nowhere in the log.
  const ofSummaries = overlays.problems.map((problem) => ({ ...problem, position: version }));
  const problems = [...log.problems, ...ofSummaries];
  return { ...resultOf(read, version, viewRevision, page.next), problems };
}

function* readLogRows(version: number): StoreProgram<readonly LogRow[]> {
  const pages: (readonly LogRow[])[] = [];
  for (let from = 0; from < version; from += LOG_PAGE) {
    pages.push(yield* readLogPage(from, Math.min(version, from + LOG_PAGE)));
  }
  return pages.flat();
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

const LOG_PAGE = 1000;

/** The reason for reading the whole log that is none to worry about. */
export const EVERYTHING = "everything is asked for";

interface Overlays {
  readonly version: number;
  readonly viewRevision: number;
  readonly summaries: readonly string[];
}

/** The summaries of a view, of the same moment as its revision. */
function* readOverlays({ view }: HistoryQuery): StoreProgram<Overlays> {
  if (view === undefined) {
    const [answer] = yield* fetchRound([{ kind: "thread" }]);
    const { head, viewRevision } = answered("thread", answer);
    return { version: versionOf(head), viewRevision, summaries: [] };
  }
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const [threadAnswer, summariesAnswer] = yield* fetchRound([
      { kind: "thread", view },
      { kind: "overlays", view },
    ]);
    const { head, state, viewRevision } = answered("thread", threadAnswer);
    const { summaries } = answered("summaries", summariesAnswer);
    if (summaries.length !== (viewStateOf(state)?.count ?? 0)) continue;
    return { version: versionOf(head), viewRevision, summaries: summaries.map(({ json }) => json) };
  }
  throw new HistoryError(
    "Expected a view to have as many summaries as its state says. Nothing was changed.",
    { code: "THREAD_CORRUPT", details: { reason: "summaries" } },
  );
}

const MAX_TRIES = 8;
