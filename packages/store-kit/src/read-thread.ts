import type {
  HistoryEntry,
  HistoryQuery,
  ReadResult,
  StoredEntryProblem,
  SummaryEntry,
} from "@agent-history/core";
import { HistoryError, isHistoryError, throwIfAborted } from "@agent-history/core";
import { selectPage } from "@agent-history/core/kit";

import { agentKey, answerQuery, floorOf, laneOf, WHOLE } from "./answer-query.ts";
import type { ReadLane, ThreadPart, Want } from "./answer-query.ts";
import type { Answer, Ask } from "./driver.ts";
import { newHead, versionOf, viewStateIn } from "./head.ts";
import { notSent } from "./store-errors.ts";
import { loadRow, loadSound, positionIn, problemOf, replacedUnder, turnIn } from "./stored-log.ts";
import { corruptSummary, overlayIn } from "./summaries.ts";
import type { ViewState } from "./summaries.ts";
import { know, look, pause } from "./thread-access.ts";
import type { Known, Thread, ThreadVerb } from "./thread-access.ts";

/** Rows of the first read from the end, and the factor by which each further read grows. */
const FIRST = 64;
const GROWTH = 4;
/** How often a read starts over, because rows changed or a summary was removed, before it fails. */
const MOST_STARTS = 100;
/** Most rows of one read, so that other work runs in between. */
const ROWS_PAGE = 1000;
/** Most missing rows that a read reports. */
const MOST_MISSING = 1000;

/**
 * Reads a thread backward from its end, with as few rows as answer the query. The result is a consistent snapshot over several round trips: rows change only if the end of the log is
 * replaced or entries are erased, and summaries never change. If that happened or a summary was removed meanwhile, the read starts over.
 */
export const readThread: ThreadVerb<"read"> = async (thread, options = {}) => {
  const { query = { clauses: [{}] }, originals = false } = options;
  const { after: _after, before: _before, ...unbounded } = query;
  // Validates the query.
  selectPage([], unbounded);
  for (let starts = 0; starts < MOST_STARTS; starts += 1) {
    const result = await tryRead(thread, query, originals);
    if (result !== undefined) return result;
  }
  throw notSent(
    "changing",
    "The thread kept changing during the read. Nothing was read. Try again.",
  );
};

async function tryRead(thread: Thread, query: HistoryQuery, originals: boolean) {
  const needs = needsOf(query);
  const reading = await beginReading(thread, query, needs, originals);
  if (reading === undefined) return undefined;
  const { part } = reading;
  const { counts } = thread;
  try {
    for (let want: Want | undefined; ;) {
      if (want !== undefined && !(await fetchMore(reading, want))) return undefined;
      const found = answerQuery(part, query);
      if ("entries" in found) {
        counts["agent_history.entries"] = found.entries.length;
        return {
          ...found,
          ...besideEntries(part, found.entries),
          version: versionOf(part.head) ?? 0,
          entryCount: part.head.entryCount,
          viewRevision: viewStateIn(part.head, query.view).revision,
          ...(part.head.sealed === "destroyed" && { sealed: part.head.sealed }),
        };
      }
      want = found;
      if (want.kind === "whole") counts["agent_history.whole_log_reads"] = 1;
    }
  } catch (error) {
    throw await rewoundError(thread, query.after, part, error);
  }
}

type QueryNeeds = ReturnType<typeof needsOf>;

/** Tells what a query needs, independent of the thread: the entries, turns and agents that it names, and lanes. */
function needsOf({ clauses, after, before }: HistoryQuery) {
  const ids = new Set<string>();
  const turns = new Set<string>();
  const agents: string[] = [];
  const lanes = new Set<ReadLane>();
  let [hasRows, isAboutLast, isOfTurn] = [false, false, true];
  if (after !== undefined) ids.add(after);
  if (before !== undefined) ids.add(before);
  for (const clause of clauses) {
    const { turn, lastTurns, lastTask, task, beforePhase, attachedToShown } = clause;
    const lane = laneOf(clause);
    for (const id of clause.ids ?? []) ids.add(id);
    if (task !== undefined) ids.add(task);
    if (turn !== undefined && "id" in turn) turns.add(turn.id);
    else if (lane !== undefined) isOfTurn = false;
    if (lastTask !== undefined) agents.push(agentKey(lastTask.of));
    if (lane !== undefined) lanes.add(lane);
    // It asks for more than entries by id.
    hasRows ||= lane !== undefined || (clause.ids ?? clause.standsInView) === undefined;
    if (attachedToShown === true) isOfTurn = false;
    // It asks for the last task or turns of the log, regardless of `before`.
    isAboutLast ||= (lastTask ?? lastTurns ?? beforePhase) !== undefined;
  }
  // The end of the log does not matter.
  const isElsewhere = !isAboutLast && (before !== undefined || (isOfTurn && turns.size === 1));
  return { ids, turns: [...turns], agents, lanes, hasRows, isElsewhere };
}

/** A read in progress; `size` is how many rows it fetches next. */
type Reading = NonNullable<Awaited<ReturnType<typeof beginReading>>>;

/** First round trip: reads what the query names, lane `m` and the ends of the other lanes; `undefined` if the view has changed meanwhile. */
async function beginReading(
  thread: Thread,
  { view: asked, maxEntries = Infinity, before }: HistoryQuery,
  needs: QueryNeeds,
  originals: boolean,
) {
  const { ids, turns: turnIds, agents, isElsewhere } = needs;
  const size = maxEntries === Infinity ? FIRST : Math.max(FIRST, maxEntries + 8);
  const lanes: readonly ReadLane[] = isElsewhere ? [] : [...needs.lanes];
  const asks: Ask[] = [
    { kind: "items", of: "i", keys: [...ids], withRows: true },
    { kind: "items", of: "t", keys: turnIds },
    { kind: "items", of: "a", keys: agents, withRows: true },
    lastRows(needs.hasRows ? Infinity : 0, "m"),
  ];
  for (const lane of lanes)
    asks.push(lastRows(lane === "a" ? Math.min(size, ROWS_PAGE) : FIRST, lane));
  const known = await know(thread, asks);
  const view = originals ? undefined : asked;
  const head = known.head ?? newHead(0);
  const state = viewStateIn(head, view);
  const summaries = state.tops.length === 0 ? [] : await summariesOf(thread, view, known, state);
  if (summaries === undefined) return undefined;
  const [named, turns, tasks] = known.answers;
  let top = head.entryCount;
  const [turnId = ""] = turnIds;
  if (isElsewhere && before === undefined) top = turnIn(turns, turnId)?.start ?? top;
  else if (isElsewhere && before !== undefined)
    top = positionIn(named, before) ?? state.tops.find(([, id]) => id === before)?.[0] ?? top;
  const part: ThreadPart = {
    head,
    view,
    state,
    summaries,
    named,
    turns,
    tasks,
    asked: new Set(),
    rows: new Map(),
    problems: new Map(),
    floors: { c: top, a: top },
    top,
  };
  let rows = 0;
  for (const [nth, answer] of known.answers.entries()) {
    rows += answer.rows.length;
    const [lane, ask] = [lanes[nth - 4], asks[nth]];
    if (lane === undefined || ask === undefined) addRows(part, answer);
    else takeAnswer(part, { kind: "lane", lane }, ask, answer);
  }
  thread.counts["agent_history.rounds"] = state.tops.length > 0 ? 2 : 1;
  thread.counts["agent_history.rows"] = rows;
  return { thread, part, size };
}

function lastRows(limit: number, lane: ReadLane | "m"): Ask {
  const range = { from: 0, to: Number.MAX_SAFE_INTEGER, limit };
  return { kind: "rows", ...range, ...(lane !== "a" && { lane }) };
}

/** Fulfills a want, in pages: each time with more rows. Returns false if the end of the log was replaced or entries were erased meanwhile. */
async function fetchMore(reading: Reading, want: Want): Promise<boolean> {
  const { thread, part, size } = reading;
  const { counts, signal } = thread;
  const isOpen = want.kind !== "whole" && !(want.kind === "lane" && want.from !== undefined);
  let left = isOpen ? size : Infinity;
  reading.size *= GROWTH;
  for (let rounds = 0; ; rounds += 1) {
    if (signal !== undefined) throwIfAborted(signal);
    const ask = nextAsk(part, want, Math.min(left, ROWS_PAGE));
    // If damaged rows prevent progress, read the whole log.
    if (ask === undefined) return rounds > 0 || want.kind === "whole" || fetchMore(reading, WHOLE);
    const { head, answers } = await look(thread, [ask]);
    if (head?.cuts !== part.head.cuts || head.erased !== part.head.erased) return false;
    const read = answers[0]?.rows.length ?? 0;
    counts["agent_history.rounds"] = Number(counts["agent_history.rounds"]) + 1;
    counts["agent_history.rows"] = Number(counts["agent_history.rows"]) + read;
    takeAnswer(part, want, ask, answers[0]);
    left -= read;
    if (want.kind === "named" || left <= 0) return true;
    if (read === ROWS_PAGE) await pause();
  }
}

/** Reads the summaries that a view shows; `undefined` if the view has changed meanwhile. */
async function summariesOf(
  thread: Thread,
  view: HistoryQuery["view"],
  known: Known,
  { tops, revision }: ViewState,
) {
  const keys = tops.map(([, id]) => id);
  const { answers, head, stamp } = await look(thread, [{ kind: "items", of: "o", keys }]);
  if (viewStateIn(head, view).revision !== revision) return undefined;
  const found: SummaryEntry[] = [];
  for (const id of keys) {
    const item = answers[0]?.items.get(id);
    if (item === undefined && stamp === known.stamp) throw corruptSummary();
    if (item === undefined) return undefined;
    found.push(overlayIn(item).summary);
  }
  return found;
}

/** If `after` was replaced, returns the error that names the entry to continue from; otherwise the error itself. */
async function rewoundError(
  thread: Thread,
  after: string | undefined,
  { head, named }: ThreadPart,
  error: unknown,
) {
  const earlier = after === undefined ? [] : replacedUnder(named?.items.get(after));
  if (earlier.length === 0 || !isHistoryError(error, "NOT_FOUND")) return error;
  const [[first] = [0]] = earlier;
  const kept = head.kept.find(([last]) => last >= first)?.[1] ?? head.entryCount;
  const ask: Ask = { kind: "rows", from: kept - 1, to: kept, limit: 1 };
  const [row] = kept === 0 ? [] : ((await look(thread, [ask])).answers[0]?.rows ?? []);
  return new HistoryError(
    "The entry that `after` names was replaced. Continue after `details.lastCommonId`, the last entry before it that was kept, or from the beginning if it is missing.",
    {
      code: "HISTORY_REWOUND",
      details: {
        entryId: after,
        ...(row !== undefined && { lastCommonId: loadSound(row).entry.id }),
      },
    },
  );
}

/** Adds rows that were read to a part. */
function addRows(part: ThreadPart, answer: Answer | undefined): void {
  const { rows, problems, head } = part;
  for (const row of answer?.rows ?? []) {
    const { position } = row;
    if (rows.has(position) || position >= head.entryCount || problems.has(position)) continue;
    try {
      rows.set(position, loadRow(row));
    } catch (error) {
      problems.set(position, problemOf(position, error));
    }
  }
}

/** The next lookup for a want, of at most `limit` rows; `undefined` once it is fulfilled. */
function nextAsk(part: ThreadPart, want: Want, limit: number): Ask | undefined {
  const { top, head } = part;
  const end = head.entryCount;
  if (want.kind === "named") return { kind: "items", of: "i", keys: want.ids, withRows: true };
  if (want.kind !== "lane" && top < end)
    return { kind: "rows", from: top, to: end, limit, forward: true };
  if (want.kind === "behind") return undefined;
  const lane = want.kind === "whole" ? "a" : want.lane;
  const { from = 0 } = want.kind === "whole" ? { from: head.trimmed } : want;
  const to = floorOf(part, lane);
  if (to <= from) return undefined;
  return { kind: "rows", from, to, limit, ...(lane !== "a" && { lane }) };
}

/** Adds the answer of a lookup to a part. */
function takeAnswer(part: ThreadPart, want: Want, ask: Ask, answer: Answer | undefined): void {
  addRows(part, answer);
  if (ask.kind !== "rows" || want.kind === "named") return;
  const { head, floors, view, state } = part;
  const read = answer?.rows ?? [];
  const isCut = read.length >= ask.limit;
  if (ask.forward === true) {
    part.top = isCut ? (read.at(-1)?.position ?? ask.from) + 1 : head.entryCount;
    return;
  }
  const lane = want.kind === "lane" ? want.lane : "a";
  floors[lane] = isCut ? (read[0]?.position ?? ask.from) : ask.from;
  // Summaries of these views hide all rows of the lane that they cover.
  if (lane === "c" && (view === "conversation" || view === "thread"))
    for (const [from, to] of state.hidden.toReversed())
      if (from < floors.c && floors.c <= to + 1) floors.c = from;
}

/** The token counts of entries, and the problems of a part: unreadable and missing rows. */
function besideEntries(
  { rows, problems, floors, top }: ThreadPart,
  entries: readonly HistoryEntry[],
): Pick<ReadResult, "tokens" | "problems"> {
  const tokens = new Map<string, (number | undefined)[]>();
  const places = new Map(entries.map((entry, nth) => [entry, nth]));
  for (const { entry, tokens: stored } of rows.values()) {
    const nth = places.get(entry);
    for (const [counter, count] of nth === undefined ? [] : stored) {
      const counts = tokens.get(counter) ?? Array<undefined>(entries.length).fill(undefined);
      counts[nth ?? 0] = count;
      tokens.set(counter, counts);
    }
  }
  const found: StoredEntryProblem[] = [];
  for (let at = floors.a; at < top && found.length < MOST_MISSING; at += 1)
    if (!rows.has(at) && !problems.has(at))
      found.push({ position: at, kind: "broken", reason: "The row is missing." });
  for (const problem of problems.values()) found.push(problem);
  found.sort((one, other) => one.position - other.position);
  return { tokens, problems: found };
}
