import type { HistoryQuery, HistoryStore, ReadResult, SummaryEntry } from "@agent-history/core";
import { HistoryError, isHistoryError, throwIfAborted } from "@agent-history/core";
import { selectPage } from "@agent-history/core/kit";

import { answerQuery } from "./answer-query.ts";
import type { LogFacts } from "./answer-query.ts";
import type { Answer, Ask } from "./driver.ts";
import { newHead, parseHead, versionOf, viewStateIn } from "./head.ts";
import type { Head } from "./head.ts";
import { otherWork } from "./patience.ts";
import { loadSound, positionIn, replacedUnder } from "./stored-log.ts";
import { corruptSummary, summaryJson, summaryOf } from "./summaries.ts";
import { knowThread, lookAt } from "./thread-access.ts";
import type { Known, ThreadAccess } from "./thread-access.ts";
import {
  addRows,
  besideEntries,
  needsOf,
  nextAsk,
  ROWS_PAGE,
  takeAnswer,
  WHOLE,
} from "./thread-part.ts";
import type { QueryNeeds, ReadLane, ThreadPart, Want } from "./thread-part.ts";
import type { ViewState } from "./views.ts";

/** How many rows of an end are read at first, and how many times more each time that is not enough. */
const FIRST = 64;
const GROWTH = 4;
/** How often a read starts over because the end of the log was replaced or a summary went, before it gives up. */
const MOST_STARTS = 100;

/** What a read is asked for. */
interface ReadRequest {
  readonly threadId: string;
  readonly query: HistoryQuery;
  readonly originals: boolean;
  readonly signal: AbortSignal | undefined;
}

/** What a read came to, and what it cost. */
export interface ReadOutcome {
  readonly result: ReadResult;
  readonly rounds: number;
  readonly rows: number;
  /** The query did not ask for all of the log, and only all of it could answer. */
  readonly isWhole: boolean;
}

/**
 * Reads a thread backward from its end, as few rows as answer a query. All rounds are of one moment: rows never change but by a replacement of the end, and summaries never change their
 * content; if one of them went, the read starts over.
 */
export async function readThread(
  access: ThreadAccess,
  threadId: string,
  options: NonNullable<Parameters<HistoryStore["read"]>[1]>,
): Promise<ReadOutcome> {
  const { query = { clauses: [{}] }, originals = false, signal } = options;
  const request: ReadRequest = { threadId, query, originals, signal };
  const { after: _after, before: _before, ...unbounded } = query;
  // Refuses what is no query.
  selectPage([], unbounded);
  for (let starts = 0; starts < MOST_STARTS; starts += 1) {
    const outcome = await tryRead(access, request);
    if (outcome !== undefined) return outcome;
  }
  throw new HistoryError(
    "The thread changed under the read again and again. Nothing was read; try again.",
    { code: "STORE_UNAVAILABLE", details: { outcome: "not-sent", reason: "changing" } },
  );
}

async function tryRead(
  access: ThreadAccess,
  request: ReadRequest,
): Promise<ReadOutcome | undefined> {
  const { threadId, query, signal } = request;
  const needs = needsOf(query);
  const lanes = firstLanes(query, needs);
  const ofLanes = lanes.map(([lane, limit]) => lastRows(limit, lane));
  const asks: readonly Ask[] = [
    { kind: "named", ids: needs.ids },
    { kind: "items", of: "t", keys: needs.turns },
    { kind: "items", of: "a", keys: needs.agents },
    lastRows(needs.hasRows ? Infinity : 0, "m"),
    ...ofLanes,
  ];
  const known = await knowThread(access, threadId, asks, signal);
  const [named, turns, agents, marked, ...ends] = known.answers;
  const facts = factsOf(named, turns, agents);
  const part = await beginPart(access, request, known, needs.isAboutLast || needs.isWhole, facts);
  if (part === undefined) return undefined;
  addRows(part, named);
  addRows(part, marked);
  for (const [nth, [lane]] of lanes.entries())
    takeAnswer(part, { kind: "lane", lane }, ofLanes[nth] ?? lastRows(0, lane), ends[nth]);
  let rounds = part.state.tops.length > 0 ? 2 : 1;
  let rows = known.answers.reduce((sum, answer) => sum + answer.rows.length, 0);
  let isWhole = false;
  let size = pageSize(query) * (lanes.length === 0 || needs.isWhole ? 1 : GROWTH);
  const more = async (want: Want): Promise<boolean> =>
    fetch(access, request, part, want, size, (answer) => {
      rounds += 1;
      rows += answer?.rows.length ?? 0;
    });
  if (needs.isWhole && !(await more(WHOLE))) return undefined;
  try {
    for (;;) {
      const found = answerQuery(part, query, needs, facts);
      if ("entries" in found) {
        const result: ReadResult = {
          ...found,
          ...besideEntries(part, found.entries),
          version: versionOf(known.head) ?? 0,
          entryCount: part.head.entryCount,
          viewRevision: viewStateIn(part.head, query.view).revision,
          ...(part.head.sealed === "destroyed" && { sealed: "destroyed" }),
        };
        return { result, rounds, rows, isWhole };
      }
      const before = rounds;
      isWhole ||= found.kind === "whole";
      if (!(await more(found))) return undefined;
      // Damaged rows may leave nothing else to read.
      if (rounds === before && !(await more(WHOLE))) return undefined;
      size *= GROWTH;
    }
  } catch (error) {
    throw await rewoundError(access, request, part.head, named, error);
  }
}

/** The lanes of whose end something is read at first, and how much: nothing where the page lies elsewhere. */
function firstLanes(
  query: HistoryQuery,
  { isWhole, isAboutLast, lanes }: QueryNeeds,
): readonly (readonly [lane: ReadLane, limit: number])[] {
  if (isWhole) return [["a", ROWS_PAGE]];
  if (query.before !== undefined && !isAboutLast) return [];
  return [...lanes].map((lane) => [lane, lane === "a" ? pageSize(query) : FIRST]);
}

function pageSize({ maxEntries = Infinity }: HistoryQuery): number {
  return Math.min(Math.max(FIRST, maxEntries === Infinity ? 0 : maxEntries + 8), ROWS_PAGE);
}

function lastRows(limit: number, lane: ReadLane | "m"): Ask {
  const range = { from: 0, to: Number.MAX_SAFE_INTEGER, limit };
  return { kind: "rows", ...range, ...(lane !== "a" && { lane }) };
}

/** The part of a thread of which nothing was read; `undefined` if its view is another by now. */
async function beginPart(
  access: ThreadAccess,
  request: ReadRequest,
  known: Known,
  isToEnd: boolean,
  { positionOf }: LogFacts,
): Promise<ThreadPart | undefined> {
  const { query, originals } = request;
  const { before } = query;
  const view = originals ? undefined : query.view;
  const head = known.head ?? newHead(0);
  const state = viewStateIn(head, view);
  const summaries = await summariesOf(access, request, known, state);
  if (summaries === undefined) return undefined;
  const bound =
    isToEnd || before === undefined
      ? undefined
      : (positionOf(before) ?? state.tops.find(([, id]) => id === before)?.[0]);
  const top = bound ?? head.entryCount;
  const read = { rows: new Map(), problems: new Map(), turns: new Map() };
  return { head, view, state, summaries, ...read, floors: { c: top, l: top, a: top }, top };
}

/** Reads what is wanted, in pages. Returns false if the end of the log was replaced meanwhile. */
async function fetch(
  access: ThreadAccess,
  { threadId, signal }: ReadRequest,
  part: ThreadPart,
  want: Want,
  size: number,
  counted: (answer: Answer | undefined) => void,
): Promise<boolean> {
  const isOpen = want.kind !== "whole" && !(want.kind === "lane" && want.from !== undefined);
  const isFirst =
    (want.kind === "turn" && !part.turns.has(want.turn)) ||
    (want.kind === "lane" && part.floors[want.lane] === part.top);
  let left = isOpen ? (isFirst ? FIRST : size) : Infinity;
  for (;;) {
    throwIfAborted(signal);
    const ask = nextAsk(part, want, Math.min(left, ROWS_PAGE));
    if (ask === undefined) return true;
    const read = await lookAt(access, threadId, [ask], signal);
    if (read.head === undefined || parseHead(read.head).cuts !== part.head.cuts) return false;
    const [answer] = read.answers;
    counted(answer);
    takeAnswer(part, want, ask, answer);
    left -= answer?.rows.length ?? 0;
    if (want.kind === "named" || want.kind === "row" || left <= 0) return true;
    if (want.kind === "turn" && part.turns.get(want.turn)?.isRead === true) return true;
    if (answer?.rows.length === ROWS_PAGE) await otherWork();
  }
}

function factsOf(
  named: Answer | undefined,
  turns: Answer | undefined,
  agents: Answer | undefined,
): LogFacts {
  const numberIn = (value: string | undefined, nth: number): number | undefined =>
    value === undefined ? undefined : Number(value.split(" ")[nth]);
  return {
    turnStart: (id) => numberIn(turns?.items.get(id), 2) ?? 0,
    turn: (id) => numberIn(turns?.items.get(id), 1),
    lastTask: (key) => {
      const value = agents?.items.get(key);
      return value === "-" ? -1 : numberIn(value, 0);
    },
    positionOf: (id) => positionIn(named, id),
    askedTasks: new Set(),
    askedRows: new Set(),
  };
}

/** The summaries that a view shows; `undefined` if one has gone since: the view is another by now. */
async function summariesOf(
  access: ThreadAccess,
  { threadId, query, signal }: ReadRequest,
  known: Known,
  { tops }: ViewState,
): Promise<readonly SummaryEntry[] | undefined> {
  if (tops.length === 0) return [];
  const ask: Ask = { kind: "items", of: "o", keys: tops.map(([, id]) => id) };
  const { answers, head: text, stamp } = await lookAt(access, threadId, [ask], signal);
  const now = text === undefined ? undefined : parseHead(text);
  const revisionOf = (one: Head | undefined): number => viewStateIn(one, query.view).revision;
  if (revisionOf(now) !== revisionOf(known.head)) return undefined;
  const found: SummaryEntry[] = [];
  for (const [, id] of tops) {
    const json = summaryJson(answers[0]?.items.get(id));
    if (json === undefined && stamp === known.stamp) throw corruptSummary();
    if (json === undefined) return undefined;
    found.push(summaryOf(json));
  }
  return found;
}

/** If `after` was replaced, the error that says from where to read on; else the error itself. */
async function rewoundError(
  access: ThreadAccess,
  { threadId, query, signal }: ReadRequest,
  head: Head,
  named: Answer | undefined,
  error: unknown,
): Promise<unknown> {
  const { after } = query;
  const earlier = after === undefined ? [] : replacedUnder(named?.items.get(after));
  if (earlier.length === 0 || !isHistoryError(error, "NOT_FOUND")) return error;
  const first = earlier.reduce((least, { cut }) => Math.min(least, cut), Infinity);
  const kept = head.kept.find(([last]) => last >= first)?.[1] ?? head.entryCount;
  const ask: Ask = { kind: "rows", from: kept - 1, to: kept, limit: 1 };
  const read = kept === 0 ? undefined : await lookAt(access, threadId, [ask], signal);
  const row = read?.answers[0]?.rows[0];
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
