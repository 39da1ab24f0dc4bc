import type { HistoryQuery, HistoryStore, ReadResult, SummaryEntry } from "@agent-history/core";
import { HistoryError, isHistoryError, throwIfAborted } from "@agent-history/core";
import { selectPage } from "@agent-history/core/kit";

import { answerQuery } from "./answer-query.ts";
import type { Ask } from "./driver.ts";
import { newHead, versionOf, viewStateIn } from "./head.ts";
import { notSent } from "./store-errors.ts";
import { loadSound, positionIn, replacedUnder } from "./stored-log.ts";
import { know, look, pause } from "./thread-access.ts";
import type { Known, Thread } from "./thread-access.ts";
import {
  addRows,
  agentKey,
  besideEntries,
  lanesOf,
  nextAsk,
  ROWS_PAGE,
  takeAnswer,
  WHOLE,
} from "./thread-part.ts";
import type { ReadLane, ThreadPart, Want } from "./thread-part.ts";
import { corruptSummary, overlayIn } from "./views.ts";
import type { ViewState } from "./views.ts";

/** Rows of the first read from the end, and the factor by which each further read grows. */
const FIRST = 64;
const GROWTH = 4;
/** How often a read starts over, because rows changed or a summary was removed, before it fails. */
const MOST_STARTS = 100;

/**
 * Reads a thread backward from its end, with as few rows as answer the query. The result is a consistent snapshot over several round trips: rows change only if the end of the log is
 * replaced or entries are erased, and summaries never change. If that happened or a summary was removed meanwhile, the read starts over.
 */
export async function readThread(
  thread: Thread,
  options: NonNullable<Parameters<HistoryStore["read"]>[1]> = {},
): Promise<ReadResult> {
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
}

async function tryRead(
  thread: Thread,
  query: HistoryQuery,
  originals: boolean,
): Promise<ReadResult | undefined> {
  const needs = needsOf(query);
  const reading = await beginReading(thread, query, needs, originals);
  if (reading === undefined) return undefined;
  const { part } = reading;
  const { counts } = thread;
  try {
    for (let want = needs.isWhole ? WHOLE : undefined; ;) {
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
          ...(part.head.sealed === "destroyed" && { sealed: "destroyed" }),
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
function needsOf({ clauses, after, before, ...limits }: HistoryQuery) {
  const { maxEntries = Infinity, maxTokens = Infinity, maxBytes = Infinity } = limits;
  const isLimited = after !== undefined || Math.min(maxEntries, maxTokens, maxBytes) < Infinity;
  const ids = new Set<string>();
  const turns: string[] = [];
  const agents: string[] = [];
  const lanes = new Set<ReadLane>();
  let [hasRows, isFar, isAboutLast] = [false, false, false];
  if (after !== undefined) ids.add(after);
  if (before !== undefined) ids.add(before);
  for (const clause of clauses) {
    const { turn, lastTurns, lastTask, task, beforePhase } = clause;
    const own = lanesOf(clause);
    for (const id of clause.ids ?? []) ids.add(id);
    if (task !== undefined) ids.add(task);
    if (turn !== undefined && "id" in turn) turns.push(turn.id);
    if (lastTask !== undefined) agents.push(agentKey(lastTask.of));
    for (const lane of own ?? []) lanes.add(lane);
    // It asks for more than entries by id.
    hasRows ||= own !== undefined;
    // It asks for the last task or turns of the log, regardless of `before`.
    isAboutLast ||= (lastTask ?? lastTurns ?? beforePhase) !== undefined;
    isFar ||=
      own?.includes("a") === true &&
      (turn ?? lastTask ?? task) === undefined &&
      (lastTurns?.count ?? Infinity) === Infinity;
  }
  // Only the whole log can answer it.
  const isWhole = !isLimited && before === undefined && isFar;
  return { ids, turns, agents, lanes, hasRows, isWhole, isAboutLast };
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
  const size = maxEntries === Infinity ? FIRST : Math.max(FIRST, maxEntries + 8);
  // If the page is not at the end of the log, the first read skips the ends of lanes.
  const isElsewhere = before !== undefined && !needs.isAboutLast && !needs.isWhole;
  const lanes: readonly ReadLane[] = needs.isWhole ? ["a"] : isElsewhere ? [] : [...needs.lanes];
  const asks: Ask[] = [
    { kind: "items", of: "i", keys: [...needs.ids], withRows: true },
    { kind: "items", of: "t", keys: needs.turns },
    { kind: "items", of: "a", keys: needs.agents, withRows: true },
    lastRows(needs.hasRows ? Infinity : 0, "m"),
  ];
  for (const lane of lanes)
    asks.push(
      lastRows(needs.isWhole ? ROWS_PAGE : lane === "a" ? Math.min(size, ROWS_PAGE) : FIRST, lane),
    );
  const known = await know(thread, asks);
  const view = originals ? undefined : asked;
  const head = known.head ?? newHead(0);
  const state = viewStateIn(head, view);
  const summaries = state.tops.length === 0 ? [] : await summariesOf(thread, view, known, state);
  if (summaries === undefined) return undefined;
  const [named, turns, tasks] = known.answers;
  let top = head.entryCount;
  if (before !== undefined && isElsewhere)
    top = positionIn(named, before) ?? state.tops.find(([, id]) => id === before)?.[0] ?? top;
  const part: ThreadPart = {
    head,
    view,
    state,
    summaries,
    facts: { named, turns, tasks, askedTasks: new Set() },
    rows: new Map(),
    problems: new Map(),
    tokens: new Map(),
    turns: new Map(),
    floors: { c: top, l: top, a: top },
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
    if (want.kind === "turn" && part.turns.get(want.turn)?.isRead === true) return true;
    if (read === ROWS_PAGE) await pause();
  }
}

/** Reads the summaries that a view shows; `undefined` if the view has changed meanwhile. */
async function summariesOf(
  thread: Thread,
  view: HistoryQuery["view"],
  known: Known,
  { tops, revision }: ViewState,
): Promise<readonly SummaryEntry[] | undefined> {
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
  { head, facts }: ThreadPart,
  error: unknown,
): Promise<unknown> {
  const earlier = after === undefined ? [] : replacedUnder(facts.named?.items.get(after));
  if (earlier.length === 0 || !isHistoryError(error, "NOT_FOUND")) return error;
  const first = earlier.reduce((least, { cut }) => Math.min(least, cut), Infinity);
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
