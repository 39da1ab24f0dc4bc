import type { HistoryEntry } from "@agent-history/core";

import type { Lane } from "./driver.ts";

/**
 * What numbers the turns of a log from one entry to the next, as core's turns are numbered, and where the log is irregular (the last such position; -1 for none). It makes the facts
 * of a row known without the rows before it.
 */
export interface LogState {
  /** The number of the newest turn, where it began, and its id once an entry named it. */
  newest: number;
  start: number;
  id?: string;
  /** Something of it was written that is not beside turns. */
  isBegun?: true;
  /** The last entries were user messages, which belong to one turn. */
  isInRow?: true;
  /** Whose tasks begin turns as long as there are no user messages. */
  firstAgent?: string;
  /** The first user message. */
  user: number;
  /** Turns were counted by tasks before the first user message came. */
  isStale?: true;
  /** An entry of an older turn. */
  late: number;
  /** An entry without the id of a turn. */
  bare: number;
  /** An entry that names a task that is not there yet. */
  early: number;
  /** The last action with calls that calls made. */
  nested: number;
  /** The last row that carries a state. */
  saved: number;
}

export const BEGINNING: LogState = {
  newest: 0,
  start: 0,
  user: -1,
  late: -1,
  bare: -1,
  early: -1,
  nested: -1,
  saved: -1,
};

/** What is kept of an entry beside it. */
export interface RowFacts {
  /** Its turn, and the newest turn where it stands. */
  readonly turn: number;
  readonly at: number;
  readonly isEarly: boolean;
}

/** Types that belong to the turn that they stand in and never begin or end one. */
const BESIDE: ReadonlySet<string> = new Set(["attachment", "system_message", "memory", "summary"]);

/** Takes the next entry into a state. `known.turn` is the number of its turn, where its turn's id was seen before. */
export function takeEntry(
  state: LogState,
  entry: HistoryEntry,
  position: number,
  known: { readonly turn: number | undefined; readonly isEarly: boolean },
): RowFacts {
  const { type, turnId } = entry;
  if (type === "user_message" && state.user < 0) {
    state.user = position;
    if (state.newest > 0) state.isStale = true;
  }
  const hasUsers = state.user >= 0;
  const begins = hasUsers ? type === "user_message" : isRootTask(state, entry);
  const stands = BESIDE.has(type);
  if (known.isEarly) state.early = position;
  if (entry.type === "action" && entry.toolCalls.some(({ callerId }) => callerId !== undefined))
    state.nested = position;
  if (turnId === undefined) state.bare = position;
  const turn = turnId !== undefined && turnId === state.id ? state.newest : known.turn;
  if (turn !== undefined && turn !== state.newest) {
    if (!(stands || begins)) delete state.isInRow;
    state.late = position;
    return { turn, at: state.newest, isEarly: known.isEarly };
  }
  const isOther = turnId !== undefined && state.id !== undefined;
  if (turn === undefined && (isOther || (begins && state.isBegun && !state.isInRow))) {
    state.newest += 1;
    state.start = position;
    delete state.id;
    delete state.isBegun;
  }
  if (turnId !== undefined) state.id = turnId;
  if (!stands) state.isBegun = true;
  const isInRow = (hasUsers && begins) || (state.isInRow === true && stands);
  if (isInRow) state.isInRow = true;
  else delete state.isInRow;
  return { turn: state.newest, at: state.newest, isEarly: known.isEarly };
}

function isRootTask(state: LogState, entry: HistoryEntry): boolean {
  if (entry.type !== "task" || entry.from !== undefined || entry.taskId !== undefined) return false;
  state.firstAgent ??= entry.agent?.id;
  return state.firstAgent === entry.agent?.id;
}

const MARKED: ReadonlySet<string> = new Set(["system_message", "memory", "summary"]);
const TALK: ReadonlySet<string> = new Set(["user_message", "assistant_message", "attachment"]);
const REPORTS: ReadonlySet<string> = new Set([
  "global_observation",
  "synthesis",
  "final",
  "strategic_plan",
  "delegation",
]);

/** The lane of entries of a type. */
export function laneOfType(type: string): Lane {
  if (MARKED.has(type)) return "m";
  if (TALK.has(type)) return "c";
  return REPORTS.has(type) ? "l" : "h";
}

/** The lane of an entry. An attachment whose message is not before it in its batch (`messages`) is found from afar, as pinned entries are. */
export function laneOf(entry: HistoryEntry, messages: ReadonlySet<string>): Lane {
  const isApart = entry.type === "attachment" && !messages.has(entry.messageId);
  return isApart || entry.pinned === true ? "m" : laneOfType(entry.type);
}
