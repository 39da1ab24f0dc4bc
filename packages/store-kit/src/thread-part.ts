import type {
  HistoryEntry,
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
import type { ViewState } from "./views.ts";

/** A lane that is read backward from the end; `a` means all rows. */
export type ReadLane = "c" | "l" | "a";

/** Whether a clause has a condition on the task that an entry was written under. */
export function asksForTasks(clause: QueryClause): boolean {
  const { task, lastTask, underTaskFrom, underTaskFromRole, phases, beforePhase } = clause;
  return (
    (task ?? lastTask ?? underTaskFrom ?? underTaskFromRole ?? phases ?? beforePhase) !== undefined
  );
}

/** The key of the item with the position of an agent's last task; of the last task of all agents if `agent` is `undefined`. */
export function agentKey(agent: string | undefined): string {
  return agent === undefined ? "*" : `=${agent}`;
}

/** The lanes that answer a clause, besides lane `m`; `undefined` if the clause only names ids or asks only for entries that every view shows. */
export function lanesOf(clause: QueryClause): readonly ReadLane[] | undefined {
  const { ids, types, agent: _agent, role: _role, unowned: _unowned, ...others } = clause;
  const { standsInView, attachedToShown, ...conditions } = others;
  let isAlone = true;
  for (const one of Object.values(conditions)) isAlone &&= one === undefined;
  const { beforePhase, lastTurns } = conditions;
  if ((ids ?? standsInView) !== undefined && isAlone) return undefined;
  if (standsInView !== undefined) return ["a"];
  if (attachedToShown !== undefined) return [];
  if (types === undefined || beforePhase !== undefined) return ["a"];
  const lanes = new Set<ReadLane>();
  for (const type of types) {
    const lane = laneOfType(type);
    if (lane === "h") return ["a"];
    if (lane !== "m") lanes.add(lane);
  }
  // The last turns begin with a user message.
  if ((lanes.size === 0 && !isAlone) || lastTurns !== undefined) lanes.add("c");
  return [...lanes];
}

/** What to read next. */
export type Want =
  /** More rows of a lane, back to a position if that is known. */
  | { readonly kind: "lane"; readonly lane: ReadLane; readonly from?: number }
  /** Rows after those that were read for a page far from the end. */
  | { readonly kind: "behind" }
  /** All rows. */
  | { readonly kind: "whole" }
  | { readonly kind: "named"; readonly ids: readonly string[] }
  /** The rows of an older turn, from its start. */
  | { readonly kind: "turn"; readonly turn: number; readonly from: number };

export const WHOLE: Want = { kind: "whole" };

/** Most rows of one read, so that other work runs in between. */
export const ROWS_PAGE = 1000;

/** Most missing rows that a read reports. */
const MOST_MISSING = 1000;

/** The loaded part of a thread: its rows, and from which position on they are complete. Rows of later round trips belong to the log as the first one saw it. */
export interface ThreadPart {
  readonly head: Head;
  readonly view: HistoryView | undefined;
  readonly state: ViewState;
  /** The summaries that the view shows, in the order of `state.tops`. */
  readonly summaries: readonly SummaryEntry[];
  readonly facts: LogFacts;
  readonly rows: Map<number, LoadedRow>;
  /** The token counts that are stored with entries. */
  readonly tokens: Map<HistoryEntry, LoadedRow["tokens"]>;
  readonly problems: Map<number, StoredEntryProblem>;
  /** The position from which on all rows of a lane were read. */
  readonly floors: Record<ReadLane, number>;
  /** Turns that were read by themselves, with the range in which all rows were read. */
  readonly turns: Map<number, { readonly from: number; to: number; isRead: boolean }>;
  /** The end of the loaded part; before the end of the log for a page far from it. */
  top: number;
}

/** Facts about the whole log, from its items. */
export interface LogFacts {
  /** The entries, turns and last tasks that the query names. */
  readonly named: Answer | undefined;
  readonly turns: Answer | undefined;
  readonly tasks: Answer | undefined;
  /** Tasks that were already looked up by id; those not found do not exist. */
  readonly askedTasks: Set<string>;
}

/** The position of an agent's last task; -1 if it is unknown, `undefined` if the agent has no task. */
export function lastTaskIn({ tasks }: LogFacts, agent: string | undefined): number | undefined {
  const value = tasks?.items.get(agentKey(agent));
  if (value === undefined) return undefined;
  return value === "-" ? -1 : Number(value);
}

/** The position from which on all rows of a lane were read, by itself or with all rows. */
export function floorOf({ floors }: ThreadPart, lane: ReadLane): number {
  return Math.min(floors[lane], floors.a);
}

/** Adds rows that were read to a part. */
export function addRows(part: ThreadPart, answer: Answer | undefined): void {
  const { rows, problems, tokens, head } = part;
  for (const row of answer?.rows ?? []) {
    const { position } = row;
    if (rows.has(position) || position >= head.entryCount || problems.has(position)) continue;
    try {
      const loaded = loadRow(row);
      rows.set(position, loaded);
      if (loaded.tokens.length > 0) tokens.set(loaded.entry, loaded.tokens);
    } catch (error) {
      problems.set(position, problemOf(position, error));
    }
  }
}

/** The next lookup for a want, of at most `limit` rows; `undefined` once it is fulfilled. */
export function nextAsk(part: ThreadPart, want: Want, limit: number): Ask | undefined {
  const { top, head, turns } = part;
  const end = head.entryCount;
  if (want.kind === "named") return { kind: "items", of: "i", keys: want.ids, withRows: true };
  if (want.kind === "turn") {
    const { to: from = want.from, isRead = false } = turns.get(want.turn) ?? {};
    return isRead ? undefined : { kind: "rows", from, to: end, limit, forward: true };
  }
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
export function takeAnswer(
  part: ThreadPart,
  want: Want,
  ask: Ask,
  answer: Answer | undefined,
): void {
  addRows(part, answer);
  if (ask.kind !== "rows" || want.kind === "named") return;
  const { rows, head, turns, floors } = part;
  const read = answer?.rows ?? [];
  const isCut = read.length >= ask.limit;
  const to = isCut ? (read.at(-1)?.position ?? ask.from) + 1 : head.entryCount;
  if (want.kind === "turn") {
    const isOver = read.some(({ position }) => (rows.get(position)?.at ?? 0) > want.turn);
    turns.set(want.turn, { from: want.from, to, isRead: isOver || !isCut });
  } else if (ask.forward === true) part.top = to;
  else
    floors[want.kind === "lane" ? want.lane : "a"] = isCut
      ? (read[0]?.position ?? ask.from)
      : ask.from;
}

/** The token counts of entries, and the problems of a part: unreadable and missing rows. */
export function besideEntries(
  { rows, problems, tokens: stored, floors, top }: ThreadPart,
  entries: readonly HistoryEntry[],
): Pick<ReadResult, "tokens" | "problems"> {
  const tokens = new Map<string, (number | undefined)[]>();
  for (const [nth, entry] of entries.entries()) {
    for (const [counter, count] of stored.get(entry) ?? []) {
      const counts = tokens.get(counter) ?? Array<undefined>(entries.length).fill(undefined);
      counts[nth] = count;
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
