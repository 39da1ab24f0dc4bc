import type {
  HistoryEntry,
  HistoryQuery,
  HistoryView,
  QueryClause,
  ReadResult,
  StoredEntryProblem,
  SummaryEntry,
} from "@agent-history/core";

import type { Answer, Ask } from "./driver.ts";
import type { Head } from "./head.ts";
import { laneOfType, loadRow, problemOf } from "./stored-log.ts";
import type { LoadedRow } from "./stored-log.ts";
import { isHidden } from "./views.ts";
import type { ViewState } from "./views.ts";

/** A row lane that is read backward from the end: `a` is all rows. */
export type ReadLane = "c" | "l" | "a";

/** What a query needs to know, whatever the thread. */
export interface QueryNeeds {
  /** Entries, turns and agents that it names. */
  readonly ids: readonly string[];
  readonly turns: readonly string[];
  readonly agents: readonly string[];
  readonly lanes: ReadonlySet<ReadLane>;
  /** Whether it asks for more than entries by name. */
  readonly hasRows: boolean;
  /** Whether no part of the log can answer it. */
  readonly isWhole: boolean;
  /** Whether it asks for the last task or turns, wherever `before` is. */
  readonly isAboutLast: boolean;
  readonly usesTurns: boolean;
  readonly usesTasks: boolean;
}

/** Returns what a query needs to know. */
export function needsOf(query: HistoryQuery): QueryNeeds {
  const { clauses, after, before, maxEntries, maxTokens, maxBytes } = query;
  const isLimited =
    after !== undefined ||
    [maxEntries, maxTokens, maxBytes].some((limit = Infinity) => limit !== Infinity);
  const isFar = (clause: QueryClause): boolean =>
    lanesOf(clause)?.includes("a") === true &&
    clause.turn === undefined &&
    (clause.lastTurns === undefined || clause.lastTurns.count === Infinity) &&
    clause.lastTask === undefined &&
    clause.task === undefined;
  const named = [after, before, ...clauses.flatMap(({ ids = [], task }) => [...ids, task])];
  return {
    ids: [...new Set(named.filter((id) => id !== undefined))],
    turns: clauses.flatMap(({ turn }) => (turn !== undefined && "id" in turn ? turn.id : [])),
    agents: clauses.flatMap(({ lastTask }) =>
      lastTask === undefined ? [] : agentKey(lastTask.of),
    ),
    lanes: new Set(clauses.flatMap((clause) => lanesOf(clause) ?? [])),
    hasRows: clauses.some((clause) => lanesOf(clause) !== undefined),
    isWhole: !isLimited && before === undefined && clauses.some(isFar),
    isAboutLast: clauses.some(
      ({ lastTask, lastTurns, beforePhase }) =>
        lastTask !== undefined || lastTurns !== undefined || beforePhase !== undefined,
    ),
    usesTurns: clauses.some(
      ({ turn, lastTurns, phases, beforePhase }) =>
        turn !== undefined ||
        lastTurns !== undefined ||
        phases !== undefined ||
        beforePhase !== undefined,
    ),
    usesTasks: clauses.some(asksForTasks),
  };
}

/** Conditions about the task that an entry was written under. */
export function asksForTasks(clause: QueryClause): boolean {
  return (
    clause.task !== undefined ||
    clause.lastTask !== undefined ||
    clause.underTaskFrom !== undefined ||
    clause.underTaskFromRole !== undefined ||
    clause.phases !== undefined ||
    clause.beforePhase !== undefined
  );
}

/** The key of the item that says where the last task of an agent stands; of all agents without one. */
export function agentKey(agent: string | undefined): string {
  return agent === undefined ? "*" : `=${agent}`;
}

/** The lanes that a clause is answered from, besides the marked rows; `undefined` if it only names entries or asks for what is shown anyway. */
export function lanesOf(clause: QueryClause): readonly ReadLane[] | undefined {
  const { ids, types, agent: _agent, role: _role, unowned: _unowned, ...others } = clause;
  const { standsInView, attachedToShown, ...conditions } = others;
  const isAlone = Object.values(conditions).every((one) => one === undefined);
  if ((ids !== undefined || standsInView !== undefined) && isAlone) return undefined;
  if (standsInView !== undefined) return ["a"];
  if (attachedToShown !== undefined) return [];
  if (conditions.beforePhase !== undefined) return ["a"];
  const lanes = lanesOfTypes(types);
  // The last turns begin with a user message.
  const asksTalk = (lanes.length === 0 && !isAlone) || conditions.lastTurns !== undefined;
  return asksTalk && !lanes.includes("a") ? [...new Set<ReadLane>([...lanes, "c"])] : lanes;
}

function lanesOfTypes(types: readonly string[] | undefined): readonly ReadLane[] {
  const lanes = new Set(types?.map(laneOfType));
  if (types === undefined || lanes.has("h")) return ["a"];
  return (["c", "l"] as const).filter((lane) => lanes.has(lane));
}

/** What a read wants next. */
export type Want =
  /** More rows of a lane, down to a position if that is known. */
  | { readonly kind: "lane"; readonly lane: ReadLane; readonly from?: number }
  /** Rows behind those that were read of a page far back. */
  | { readonly kind: "behind" }
  /** All rows. */
  | { readonly kind: "whole" }
  | { readonly kind: "named"; readonly ids: readonly string[] }
  /** The row of a task. */
  | { readonly kind: "row"; readonly at: number }
  /** The rows of an older turn, from where it began. */
  | { readonly kind: "turn"; readonly turn: number; readonly from: number };

export const WHOLE: Want = { kind: "whole" };

/** An entry that the view shows: a row, or a summary at its place. */
export interface Shown {
  readonly position: number;
  readonly entry: HistoryEntry;
  readonly row?: LoadedRow;
}

/** How many rows are asked for at once at most, so that other work runs in between. */
export const ROWS_PAGE = 1000;

/** How many missing rows a read reports. */
const MOST_MISSING = 1000;

/** A part of a thread: rows that were read, and from where on they are all there. Rows of later rounds are of the log as the first one has seen it. */
export interface ThreadPart {
  readonly head: Head;
  readonly view: HistoryView | undefined;
  readonly state: ViewState;
  /** The summaries that the view shows, in the order of `state.tops`. */
  readonly summaries: readonly SummaryEntry[];
  readonly rows: Map<number, LoadedRow>;
  readonly problems: Map<number, StoredEntryProblem>;
  /** From where on all rows of a lane were read. */
  readonly floors: Record<ReadLane, number>;
  /** Turns that were read by themselves: from where to where all rows are there. */
  readonly turns: Map<number, { readonly from: number; to: number; isRead: boolean }>;
  /** Where what was read ends: for a page far back, before the log does. */
  top: number;
}

/** Returns whether all of the log was read. */
export function isWholePart({ floors, top, head }: ThreadPart): boolean {
  return floors.a <= (head.trimmed ?? 0) && top === head.entryCount;
}

/** From where on all rows of a lane were read. */
export function floorOf({ floors }: ThreadPart, lane: ReadLane): number {
  return Math.min(floors[lane], floors.a);
}

/** What the view shows of a part, in order. */
export function shownBy({ rows, view, state, summaries }: ThreadPart): readonly Shown[] {
  const found: Shown[] = summaries.map((entry, nth) => ({
    position: state.tops[nth]?.[0] ?? 0,
    entry,
  }));
  for (const row of rows.values()) {
    const { entry, position, isErased } = row;
    if (isErased) continue;
    if (view === undefined || !isHidden(state, view, entry, position))
      found.push({ position, entry, row });
  }
  return found.toSorted((one, other) => one.position - other.position);
}

/** Takes rows that were read. */
export function addRows({ rows, problems, head }: ThreadPart, answer: Answer | undefined): void {
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

/** What to ask for next, at most `limit` rows; `undefined` once the want is met. */
export function nextAsk(part: ThreadPart, want: Want, limit: number): Ask | undefined {
  if (want.kind === "named") return { kind: "named", ids: want.ids };
  if (want.kind === "row") return { kind: "rows", from: want.at, to: want.at + 1, limit: 1 };
  const { top, head } = part;
  if (want.kind === "turn") {
    const { to: from = want.from, isRead = false } = part.turns.get(want.turn) ?? {};
    if (isRead) return undefined;
    return { kind: "rows", from, to: head.entryCount, limit, forward: true };
  }
  const isBehind = want.kind === "behind" || (want.kind === "whole" && top < head.entryCount);
  if (isBehind) {
    if (top === head.entryCount) return undefined;
    return { kind: "rows", from: top, to: head.entryCount, limit, forward: true };
  }
  const lane = want.kind === "whole" ? "a" : want.lane;
  const from = want.kind === "whole" ? (head.trimmed ?? 0) : (want.from ?? 0);
  const to = floorOf(part, lane);
  if (to <= from) return undefined;
  return { kind: "rows", from, to, limit, ...(lane !== "a" && { lane }) };
}

/** Takes the answer to what was asked. */
export function takeAnswer(
  part: ThreadPart,
  want: Want,
  ask: Ask,
  answer: Answer | undefined,
): void {
  addRows(part, answer);
  if (ask.kind !== "rows" || want.kind === "named" || want.kind === "row") return;
  const read = answer?.rows ?? [];
  const isCut = read.length >= ask.limit;
  if (want.kind === "turn") {
    const to = isCut ? (read.at(-1)?.position ?? ask.from) + 1 : part.head.entryCount;
    const isOver = read.some(({ position }) => (part.rows.get(position)?.at ?? 0) > want.turn);
    part.turns.set(want.turn, { from: want.from, to, isRead: isOver || !isCut });
    return;
  }
  if (ask.forward === true)
    part.top = isCut ? (read.at(-1)?.position ?? part.top) + 1 : part.head.entryCount;
  else
    part.floors[want.kind === "lane" ? want.lane : "a"] = isCut
      ? (read[0]?.position ?? ask.from)
      : ask.from;
}

/** Counts of entries, and what of the part cannot be shown. */
export function besideEntries(
  part: ThreadPart,
  entries: readonly HistoryEntry[],
): Pick<ReadResult, "tokens" | "problems"> {
  const ofEntry = new Map<HistoryEntry, LoadedRow["tokens"]>();
  for (const { entry, tokens } of part.rows.values())
    if (tokens.length > 0) ofEntry.set(entry, tokens);
  const counters = new Set<string>();
  for (const entry of entries)
    for (const [counter] of ofEntry.get(entry) ?? []) counters.add(counter);
  const countOf = (entry: HistoryEntry, counter: string): number | undefined =>
    ofEntry.get(entry)?.find(([one]) => one === counter)?.[1];
  return {
    tokens: new Map(
      [...counters].map((counter) => [counter, entries.map((entry) => countOf(entry, counter))]),
    ),
    problems: problemsIn(part),
  };
}

/** Rows that cannot be read, and rows that are not there. */
function problemsIn({ rows, problems, floors, top }: ThreadPart): readonly StoredEntryProblem[] {
  const missing: StoredEntryProblem[] = [];
  for (let at = floors.a; at < top && missing.length < MOST_MISSING; at += 1)
    if (!rows.has(at) && !problems.has(at))
      missing.push({ position: at, kind: "broken", reason: "The row is missing." });
  return [...missing, ...problems.values()].toSorted((one, other) => one.position - other.position);
}
