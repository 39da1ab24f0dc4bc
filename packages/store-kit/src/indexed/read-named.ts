import type { HistoryEntry, HistoryQuery, QueryClause, ReadResult } from "@agent-history/core";
import { isInView } from "@agent-history/core";
import { selectPage } from "@agent-history/core/kit";

import { decodeRows } from "./decode-rows.ts";
import type { LogRow, ReadEntry } from "./decode-rows.ts";
import { answered, fetchRound } from "./fetch-round.ts";
import { indexRange } from "./index-range.ts";
import { resultOf } from "./read-entries.ts";
import { countsOfHead } from "./replaced-entries.ts";
import type { StoreProgram } from "./store-program.ts";
import { headOf } from "./thread-head.ts";
import { isInRun, viewStateOf } from "./view-state.ts";
import type { ShownSummary, ViewState } from "./view-state.ts";

/** The ids that a query asks for, where every clause has some and the rest can be told from the entry alone; else `undefined`. */
export function namedIds({ clauses }: HistoryQuery): readonly string[] | undefined {
  const isAboutNamed = (clause: QueryClause): boolean => {
    const { ids, types: _, agent: __, role: ___, unowned: ____, ...others } = clause;
    return ids !== undefined && Object.values(others).every((value) => value === undefined);
  };
  if (!clauses.every(isAboutNamed)) return undefined;
  return [...new Set(clauses.flatMap(({ ids = [] }) => ids))];
}

/**
 * Reads entries and summaries by their ids: two rounds, and no entry but these. Returns `undefined` where that cannot answer the query: it
 * begins out of sight, or asks whether exchanges are shown whole.
 */
export function* readNamed(
  query: HistoryQuery,
  ids: readonly string[],
  originals: boolean,
): StoreProgram<ReadResult | undefined> {
  const { after, before, view, ...unbounded } = query;
  const bounds = [after, before].filter((id) => id !== undefined);
  const [threadAnswer, positionsAnswer] = yield* fetchRound([
    { kind: "thread", ...(view === undefined ? {} : { view }) },
    { kind: "positions", ids: [...new Set([...ids, ...bounds])] },
  ]);
  const thread = answered("thread", threadAnswer);
  const head = headOf(thread.head);
  const { version } = head;
  const state = originals ? undefined : viewStateOf(thread.state);
  const { positions } = answered("positions", positionsAnswer);
  const range = indexRange(query, positions, version, state);
  if (range === undefined) return undefined;
  const isWithin = (at: number): boolean => at > range.after && at < range.before;
  const wanted = ids
    .flatMap((id) => positions.get(id) ?? [])
    .filter((position) => position < version && isWithin(position))
    .toSorted((one, other) => one - other);
  const summaries = (state?.shown ?? []).filter(({ id, at }) => ids.includes(id) && isWithin(at));
  const found = yield* readFound(wanted, summaries);
  if (found === undefined) return undefined;
  const read = found.entries.filter((one) => !isGone(one, query, state));
  if (query.splitExchanges !== true && read.some(({ entry }) => isOfExchange(entry))) {
    return undefined;
  }
  const byEntry = new Map<HistoryEntry, ReadEntry>(read.map((one) => [one.entry, one]));
  const page = selectPage([...byEntry.keys()], unbounded);
  const shown = page.entries.flatMap((entry) => byEntry.get(entry) ?? []);
  const result = resultOf(shown, countsOfHead(head), thread.viewRevision, page.next);
  return { ...result, problems: found.problems };
}

/** Reads rows and summaries, each instead of it; `undefined` where a summary is gone meanwhile. */
function* readFound(
  positions: readonly number[],
  summaries: readonly ShownSummary[],
): StoreProgram<ReturnType<typeof decodeRows> | undefined> {
  if (positions.length === 0 && summaries.length === 0) return { entries: [], problems: [] };
  const [entriesAnswer, summariesAnswer] = yield* fetchRound([
    { kind: "entries", positions },
    { kind: "summaries", ids: summaries.map(({ id }) => id) },
  ]);
  const { rows } = answered("entries", entriesAnswer);
  const known = new Map<number, LogRow>(rows.map((row) => [row.position, row]));
  const stored = answered("summaries", summariesAnswer).summaries;
  const texts = new Map(stored.map(({ id, json }) => [id, json]));
  if (summaries.some(({ id }) => !texts.has(id))) return undefined;
  const standing = summaries.map(({ id, at }) => ({ position: at, json: texts.get(id) ?? "" }));
  const logged = positions.map((position) => known.get(position) ?? { position });
  return decodeRows(
    [...logged, ...standing].toSorted((one, other) => one.position - other.position),
  );
}

/** Returns whether a summary of the view stands for an entry of the log. */
function isGone(
  { position, entry }: ReadEntry,
  { view = "thread" }: HistoryQuery,
  state: ViewState | undefined,
): boolean {
  if (state === undefined || entry.type === "system_message" || entry.pinned === true) return false;
  if (state.shown.some(({ id }) => id === entry.id)) return false;
  return isInRun(state, position) && isInView(entry, view);
}

function isOfExchange({ type }: HistoryEntry): boolean {
  return type === "action" || type === "observation";
}
