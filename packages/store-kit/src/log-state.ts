import type { HistoryEntry } from "@agent-history/core";

import type { Lane } from "./driver.ts";

/**
 * What names and numbers the turns of a log from one entry to the next, and where the log is irregular (the last such position; -1 for none). It makes the facts
 * of a row known without the rows before it.
 */
export interface LogState {
  /** The number of the newest turn, where it began, and its id once there is one. */
  newest: number;
  start: number;
  id?: string;
  /** Something of it was written that is not beside turns. */
  isBegun?: true;
  /** Its last entries were user messages, which belong to one turn. */
  isInRow?: true;
  /** Whose tasks begin turns as long as there are no user messages. */
  firstAgent?: string;
  /** The first user message. */
  user: number;
  /** An entry of an older turn. */
  late: number;
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
  nested: -1,
  saved: -1,
};

/** What is kept of an entry beside it. */
export interface RowFacts {
  /** Its turn, and the newest turn where it stands. */
  readonly turn: number;
  readonly at: number;
}

/** Types that belong to the turn that they stand in and never begin or end one. */
const BESIDE: ReadonlySet<string> = new Set(["attachment", "system_message", "memory", "summary"]);

/**
 * Returns the id of the turn that the next entry belongs to: its own, else that of the newest turn, else its own id, if it begins one. What stands beside turns has none before the
 * first.
 */
export function turnIdOf(state: LogState, entry: HistoryEntry): string | undefined {
  if (entry.turnId !== undefined) return entry.turnId;
  if (BESIDE.has(entry.type)) return state.id;
  const isNew = beginsTurn(state, entry) && state.isBegun === true && state.isInRow !== true;
  return isNew ? entry.id : (state.id ?? entry.id);
}

/** Takes the next entry, with the id of its turn, into a state. `known` is the number of its turn, where its turn's id was seen before. */
export function takeEntry(
  state: LogState,
  entry: HistoryEntry,
  position: number,
  known: number | undefined,
): RowFacts {
  const { type, turnId } = entry;
  const begins = beginsTurn(state, entry);
  const stands = BESIDE.has(type);
  if (type === "user_message" && state.user < 0) state.user = position;
  if (begins && type === "task") state.firstAgent ??= entry.agent?.id;
  if (entry.type === "action" && entry.toolCalls.some(({ callerId }) => callerId !== undefined))
    state.nested = position;
  const isNewest = turnId === undefined || turnId === state.id;
  if (!isNewest && known !== undefined && known !== state.newest) {
    state.late = position;
    return { turn: known, at: state.newest };
  }
  if (!isNewest && known === undefined && state.id !== undefined) {
    state.newest += 1;
    state.start = position;
    delete state.isBegun;
    delete state.isInRow;
  }
  if (turnId !== undefined) state.id = turnId;
  if (!stands) {
    state.isBegun = true;
    if (type === "user_message") state.isInRow = true;
    else delete state.isInRow;
  }
  return { turn: state.newest, at: state.newest };
}

/** The user begins turns; as long as nobody spoke, tasks that nobody gave do, of the agent that was given the first. */
function beginsTurn(state: LogState, entry: HistoryEntry): boolean {
  if (entry.type === "user_message") return true;
  if (state.user >= 0 || entry.type !== "task") return false;
  if (entry.from !== undefined || entry.taskId !== undefined) return false;
  return (state.firstAgent ?? entry.agent?.id) === entry.agent?.id;
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
