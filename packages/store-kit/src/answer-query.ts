import type {
  HistoryEntry,
  HistoryQuery,
  HistoryView,
  QueryClause,
  StoredEntryProblem,
  SummaryEntry,
} from "@agent-history/core";
import { outermostActions, pairCalls } from "@agent-history/core";
import {
  clauseContext,
  firstWithinLimits,
  hideCutExchanges,
  selectPage,
  shownByClauses,
} from "@agent-history/core/kit";
import type { ClauseContext, SelectedPage } from "@agent-history/core/kit";

import type { Answer } from "./driver.ts";
import type { Head } from "./head.ts";
import { notFound } from "./store-errors.ts";
import { laneOfType, positionIn, turnIn } from "./stored-log.ts";
import type { LoadedRow } from "./stored-log.ts";
import { isHidden } from "./summaries.ts";
import type { ViewState } from "./summaries.ts";

/** Rows that are read backward from the end: those of the conversation, or all. */
export type ReadLane = "c" | "a";

/** The loaded part of a thread: its rows, and from which position on they are complete. Rows of later round trips belong to the log as the first one saw it. */
export interface ThreadPart {
  readonly head: Head;
  readonly view: HistoryView | undefined;
  readonly state: ViewState;
  /** The summaries that the view shows, in the order of `state.tops`. */
  readonly summaries: readonly SummaryEntry[];
  /** The entries, turns and last tasks that the query names. */
  readonly named: Answer | undefined;
  readonly turns: Answer | undefined;
  readonly tasks: Answer | undefined;
  /** Ids that were already looked up; those not found do not exist. */
  readonly asked: Set<string>;
  readonly rows: Map<number, LoadedRow>;
  readonly problems: Map<number, StoredEntryProblem>;
  /** The position from which on all rows of a lane were read, but those that the view hides. */
  readonly floors: Record<ReadLane, number>;
  /** The end of the loaded part; before the end of the log for a page far from it. */
  top: number;
}

/** What to read next. */
export type Want =
  /** More rows of a lane, back to a position if that is known. */
  | { readonly kind: "lane"; readonly lane: ReadLane; readonly from?: number }
  /** Rows after those that were read for a page far from the end. */
  | { readonly kind: "behind" }
  /** All rows. */
  | { readonly kind: "whole" }
  | { readonly kind: "named"; readonly ids: readonly string[] };

export const WHOLE: Want = { kind: "whole" };

/** The key of the item with the position of an agent's last task; of the last task of all agents if `agent` is `undefined`. */
export function agentKey(agent: string | undefined): string {
  return agent === undefined ? "*" : `=${agent}`;
}

/** The position from which on all rows of a lane were read, by itself or with all rows. */
export function floorOf({ floors }: ThreadPart, lane: ReadLane): number {
  return Math.min(floors[lane], floors.a);
}

/** The lane that answers a clause, besides lane `m`; `undefined` if the clause only names ids or asks only for entries that every view shows or for attachments. */
export function laneOf(clause: QueryClause): ReadLane | undefined {
  const { ids, types, agent: _agent, role: _role, unowned: _unowned, ...others } = clause;
  const { standsInView, attachedToShown, ...conditions } = others;
  const isAlone = Object.values(conditions).every((one) => one === undefined);
  if ((ids ?? standsInView ?? attachedToShown) !== undefined && isAlone) return undefined;
  const lanes = new Set(types?.map(laneOfType));
  if (types === undefined || lanes.has("h")) return "a";
  // Entries are under a task by those between it and them.
  if ((standsInView ?? conditions.task ?? conditions.beforePhase) !== undefined) return "a";
  return lanes.has("c") || !isAlone ? "c" : undefined;
}

/**
 * Answers a query from the loaded part of a thread with core's own functions, or returns what must be read first. The part answers a clause if it contains a row of an older turn, the task that
 * the clause asks for, or the beginning of the log. It answers the whole query if the query's limit excludes everything that is missing.
 */
export function answerQuery(part: ThreadPart, query: HistoryQuery): SelectedPage | Want {
  const { head, floors, top } = part;
  const question = questionOf(part, query);
  const { entries } = question;
  if (floors.a <= (head.trimmed ?? 0) && top === head.entryCount) return selectPage(entries, query);
  let pending: Want | undefined;
  for (const clause of query.clauses) {
    const lane = laneOf(clause);
    const bound = lane && boundOf(question, clause, lane);
    if (bound?.isPending === true)
      pending = pending === undefined || lane === "a" ? bound : pending;
    else if (bound !== undefined) return bound;
  }
  const context = contextOf(question);
  const missing = missingNames(question, context);
  if (missing !== undefined) return missing;
  const isShown = shownByClauses(context, query);
  const start = indexOf(entries, query.after) + 1;
  const end = query.before === undefined ? entries.length : indexOf(entries, query.before);
  const limit = firstWithinLimits(entries, isShown.slice(0, end), query);
  const more = missingRows(question, pending, isShown, start, limit);
  if (more !== undefined) return more;
  const isCut = isShown.slice(start, limit).includes(true);
  isShown.fill(false, 0, Math.max(start, limit)).fill(false, end);
  const oldest = isShown.indexOf(true);
  const want = query.wholeExchanges === true ? hideExchanges(question, isShown) : undefined;
  if (want !== undefined) return want;
  const next = isCut && oldest >= 0 ? entries[oldest]?.id : undefined;
  const selected = entries.filter((_, index) => isShown[index]);
  return { entries: selected, ...(next !== undefined && { next }) };
}

/** A query and what the loaded part of the thread shows: entries with their positions and turns. */
type Question = ReturnType<typeof questionOf>;

function questionOf(part: ThreadPart, query: HistoryQuery) {
  const { state, view } = part;
  const shown: (Pick<LoadedRow, "position" | "entry"> & { readonly range: TurnRange })[] = [];
  // A summary has no turn.
  for (const [nth, entry] of part.summaries.entries())
    shown.push({ position: state.tops[nth]?.[0] ?? 0, entry, range: [-Infinity, -Infinity] });
  for (const { entry, position, turn, isErased } of part.rows.values())
    if (!isErased && !isHidden(state, view, entry, position))
      shown.push({ position, entry, range: rangeInView(part, position, turn) });
  shown.sort((one, other) => one.position - other.position);
  const entries = shown.map(({ entry }) => entry);
  const positions = shown.map(({ position }) => position);
  const ranges = shown.map(({ range }) => range);
  return { part, query, entries, positions, ranges, turns: ranges.map(([least]) => least) };
}

/** The position after the last hidden one; 0 if the view hides nothing. */
function hiddenEnd({ hidden }: ViewState): number {
  return (hidden.at(-1)?.[1] ?? -1) + 1;
}

/** The least and the highest number that a turn may have among those that the view shows. */
type TurnRange = readonly [least: number, most: number];

/** The numbers that a turn at a position may have among those that the view shows: one, except where the view hides entries around it. Without a count of the hidden turns, the number in the log. */
function rangeInView({ state, head }: ThreadPart, position: number, turn: number): TurnRange {
  const { hidden, gone = 0 } = state;
  if (position < (hidden[0]?.[0] ?? Infinity)) return [turn, turn];
  const least = turn - gone;
  const isKnown = position >= hiddenEnd(state) || turn === head.log.newest || gone === 0;
  return isKnown ? [least, least] : [Math.max(0, least), turn];
}

/** Returns `undefined` if everything that a clause may show was read, otherwise what to read; `isPending` if only the query's limit can make that unnecessary. */
function boundOf(
  question: Question,
  clause: QueryClause,
  lane: ReadLane,
): (Want & { readonly isPending?: true }) | undefined {
  const { part, query } = question;
  const { types, standsInView, turn, lastTurns, lastTask, task, phases, beforePhase } = clause;
  const { head, state, rows, top } = part;
  const { log } = head;
  const ofTurns = turn ?? lastTurns;
  const isOfTurns = (ofTurns ?? phases) !== undefined;
  // After an erasure, turns are counted by the entries that are left, so all of them are needed.
  if (isOfTurns && head.erased !== undefined) return WHOLE;
  if (standsInView !== undefined || (beforePhase !== undefined && ofTurns === undefined))
    return WHOLE;
  /** Everything that the clause may show is at or after this position. */
  let from = 0;
  if (turn !== undefined) {
    const newest = { turn: log.newest, start: log.start };
    const found = "id" in turn ? turnIn(part.turns, turn.id) : newest;
    if (found === undefined) return undefined;
    from = found.start;
    const isOver = (): boolean =>
      isRead(part, 0, ({ position, at }) => position < top && at > found.turn);
    const isPage = top < head.entryCount && query.before === undefined;
    if (isPage && (log.late >= top || !isOver())) return { kind: "behind" };
  }
  const begin = from;
  const end = hiddenEnd(state);
  if (isOfTurns && end > 0) {
    // A summary belongs to the turn at its position.
    if (phases !== undefined || types === undefined || types.includes("summary")) return WHOLE;
    // An entry that was added to a hidden turn begins it again in the view.
    const isBehind = turn !== undefined && from >= end && log.late < end;
    if (!isBehind && (!isCountedView(part) || (turn !== undefined && "id" in turn))) return WHOLE;
  }
  const [ofAgent, ofTask] = [
    lastTask && (lastTaskIn(part.tasks, lastTask.of) ?? Infinity),
    task === undefined ? undefined : positionIn(part.named, task),
  ];
  if (ofAgent === Infinity) return undefined;
  for (const at of [ofAgent, ofTask]) {
    if (at === undefined) continue;
    const entry = rows.get(at)?.entry;
    // The task's position is unknown, its row is unreadable, or the view hides it.
    if (entry === undefined || isHidden(state, part.view, entry, at)) return WHOLE;
    if (at === ofAgent) from = Math.max(from, at);
    // What names an id that is no task may stand anywhere.
    if (at === ofTask) from = entry.type === "task" ? at : begin;
  }
  if (lastTurns !== undefined) return boundOfTurns(question, clause, lane, ofTask !== undefined);
  const floor = floorOf(part, lane);
  if (floor <= from) return undefined;
  const isExact = (ofTask ?? beforePhase) !== undefined;
  return { kind: "lane", lane, from, ...(!isExact && { isPending: true }) };
}

/** What must be read for a clause with `lastTurns`; `undefined` if nothing. */
function boundOfTurns(
  { part, entries, ranges }: Question,
  { types, lastTurns: { count, stride = 1 } = { count: 0 } }: QueryClause,
  lane: ReadLane,
  isOfTask: boolean,
): Want | undefined {
  if (count === 0) return undefined;
  const { head, state } = part;
  const newest = head.log.newest - (state.gone ?? 0);
  const least = Math.ceil((newest + 1 - count) / stride) * stride;
  const [floor, end] = [floorOf(part, lane), hiddenEnd(state)];
  const hasOlder = (first: number): boolean =>
    !isOfTask && isRead(part, first, (row) => rangeInView(part, row.position, row.at)[1] < least);
  if (hasOlder(Math.max(floor, end))) return undefined;
  const isUnknown = ({ type }: HistoryEntry, index: number): boolean => {
    const [lowest, highest] = ranges[index] ?? [0, 0];
    return lowest < least && highest >= least && types?.includes(type) === true;
  };
  if (floor <= end && entries.some(isUnknown)) return WHOLE;
  // The first user message of these turns must be known, too.
  if (floor === 0 || hasOlder(floor)) return undefined;
  return { kind: "lane", lane, ...(least <= 0 && { from: 0 }) };
}

function isRead({ rows }: ThreadPart, from: number, test: (row: LoadedRow) => boolean): boolean {
  for (const row of rows.values()) if (row.position >= from && test(row)) return true;
  return false;
}

/** The position of an agent's last task; -1 if it is unknown, `undefined` if the agent has no task. */
function lastTaskIn(tasks: Answer | undefined, agent: string | undefined): number | undefined {
  const value = tasks?.items.get(agentKey(agent));
  if (value === undefined) return undefined;
  return value === "-" ? -1 : Number(value);
}

/** Whether the number of hidden turns is known, no entry was added to an older turn, and no summary names a turn. */
function isCountedView({ state, summaries, head }: ThreadPart): boolean {
  const isBeside = summaries.every(({ turnId }) => turnId === undefined);
  return state.gone !== undefined && head.log.late < 0 && isBeside;
}

/** The context in which core evaluates clauses, equal to that of the whole log for what was read. */
function contextOf({ part, query, entries, turns }: Question): ClauseContext {
  const turnOfId = new Map<string, number>();
  for (const { turn } of query.clauses) {
    if (turn === undefined || !("id" in turn)) continue;
    const found = turnIn(part.turns, turn.id);
    turnOfId.set(turn.id, found === undefined ? -1 : rangeInView(part, found.start, found.turn)[0]);
  }
  // Core numbers the turns of what was read from 0.
  const newestTurn = part.head.log.newest - (part.state.gone ?? 0);
  return { ...clauseContext(entries), turns, newestTurn, turnOfId };
}

/** The tasks and messages that entries name on which clauses depend; or more rows, if an entry may be under an earlier task of its agent. */
function missingNames(
  { part, query, entries, positions, turns }: Question,
  { taskOf, turnOfId, newestTurn }: ClauseContext,
): Want | undefined {
  const { asked, floors } = part;
  const asking = query.clauses.filter(
    ({ underTaskFrom, underTaskFromRole, phases, beforePhase }) =>
      (underTaskFrom ?? underTaskFromRole ?? phases ?? beforePhase) !== undefined,
  );
  const isAttached = query.clauses.some(({ attachedToShown }) => attachedToShown === true);
  const missing = new Set<string>();
  for (const [index, entry] of entries.entries()) {
    const { taskId, agent, type } = entry;
    if (isAttached && type === "attachment") missing.add(entry.messageId);
    if (!asking.some((clause) => isAbout(clause, entry, turns[index]))) continue;
    const task = taskOf[index];
    const isByAgent = taskId === undefined && type !== "task" && agent !== undefined;
    if (isByAgent && floors.a > 0 && (positions[task ?? -1] ?? -1) < floors.a)
      return { kind: "lane", lane: "a" };
    if (taskId !== undefined && task === undefined) missing.add(taskId);
  }
  for (const { id } of missing.size === 0 ? [] : entries) missing.delete(id);
  const ids = [...missing].filter((id) => !asked.has(id));
  for (const id of ids) asked.add(id);
  return ids.length === 0 ? undefined : { kind: "named", ids };

  /** Whether a clause depends on the task of an entry. */
  function isAbout(clause: QueryClause, { type, agent }: HistoryEntry, own: number | undefined) {
    const { types, turn, beforePhase } = clause;
    const isOf =
      types?.includes(type) !== false && (clause.agent === undefined || clause.agent === agent?.id);
    if (beforePhase === undefined && !isOf) return false;
    return turn === undefined || own === ("id" in turn ? turnOfId.get(turn.id) : newestTurn);
  }
}

/** What must be read, unless the range or a limit excludes the missing rows. */
function missingRows(
  { part, query, entries, positions }: Question,
  pending: Want | undefined,
  isShown: readonly boolean[],
  start: number,
  limit: number,
): Want | undefined {
  const after = start === 0 ? undefined : (positions[start - 1] ?? -1);
  // Everything before this position is excluded.
  const least = Math.max(limit > 0 ? (positions[limit - 1] ?? -1) : -1, (after ?? -2) + 1);
  const isAttached = query.clauses.some(({ attachedToShown }) => attachedToShown === true);
  const first = entries.findIndex(
    ({ type }, index) => isShown[index] === true && type === "user_message",
  );
  const message = positions[first] ?? Infinity;
  // Attachments follow their messages.
  if (isAttached && message < floorOf(part, "c") && least < floorOf(part, "c"))
    return { kind: "lane", lane: "c", from: message };
  if (pending?.kind !== "lane" || floorOf(part, pending.lane) <= least) return undefined;
  const { lane, from = 0 } = pending;
  const isLimited = (query.maxEntries ?? query.maxBytes) !== undefined;
  if (after !== undefined) return { kind: "lane", lane, from: Math.max(after, from) };
  return { kind: "lane", lane, ...(!isLimited && { from }) };
}

/** Hides exchanges that are not shown whole; or returns what must be read first. */
function hideExchanges(
  { part, entries, positions }: Question,
  isShown: boolean[],
): Want | undefined {
  const parts = [...entries.keys()].filter((index) => {
    const type = entries[index]?.type;
    return isShown[index] === true && (type === "action" || type === "observation");
  });
  const [oldest] = parts;
  if (oldest === undefined) return undefined;
  const all = floorOf(part, "a");
  const position = positions[oldest] ?? 0;
  if (position < all) return { kind: "lane", lane: "a", from: position };
  const base = positions.findIndex((one) => one >= all);
  const suffix = entries.slice(base);
  const isNested = (entry: HistoryEntry): boolean =>
    entry.type === "action" && entry.toolCalls.some(({ callerId }) => callerId !== undefined);
  if (suffix.some(isNested)) return WHOLE;
  const pairing = pairCalls(suffix);
  const isBounded = part.top < part.head.entryCount;
  for (const index of parts) {
    const isOpen = pairing.calls.get(index - base)?.some(({ result }) => result === undefined);
    if (entries[index]?.type === "observation") {
      if (all > 0 && !pairing.actionOf.has(index - base)) return { kind: "lane", lane: "a" };
    } else if (isBounded && isOpen !== false) return { kind: "behind" };
  }
  hideCutExchanges(outermostActions(pairing), isShown, base);
  return undefined;
}

function indexOf(entries: readonly HistoryEntry[], id: string | undefined): number {
  if (id === undefined) return -1;
  const index = entries.findIndex((entry) => entry.id === id);
  if (index >= 0) return index;
  throw notFound("Expected `after` and `before` to be ids of entries of this history.", id);
}
