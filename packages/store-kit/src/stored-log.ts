import { HistoryError, isHistoryError } from "@agent-history/core";
import type { HistoryEntry, StoredEntryProblem } from "@agent-history/core";
import { decodeEntry, STORED_VERSION } from "@agent-history/core/schema";
import type { StoredEntry } from "@agent-history/core/schema";

import type { Answer, Lane, Row } from "./driver.ts";
import { corrupt } from "./store-errors.ts";

/** Token counts of an entry by counter. */
export type Tokens = readonly (readonly [counter: string, count: number])[];

/** A parsed row. */
export interface LoadedRow extends RowFacts {
  readonly position: number;
  readonly entry: HistoryEntry;
  /** The stored form of the entry. */
  readonly json: string;
  readonly tokens: Tokens;
  readonly state: LogState | undefined;
  /** The entry was erased: only its position, lane and turn are left. */
  readonly isErased: boolean;
}

/** The row that replaces an erased entry. It has no id, and keeps its turn. */
export function erasedRow({ position, turn, at, state, entry }: ErasedRow, lane: Lane): Row {
  const { turnId } = entry ?? {};
  const json = JSON.stringify({ v: STORED_VERSION, type: "erased", id: "", turnId });
  return rowOf(position, lane, { turn, at }, { json, state });
}

type ErasedRow = RowFacts &
  Pick<LoadedRow, "position"> &
  Partial<Pick<LoadedRow, "state" | "entry">>;

/** Serializes a row: a line with a checksum over position and text, and the facts of the entry; then the entry. */
export function rowOf(
  position: number,
  lane: Lane,
  { turn, at }: RowFacts,
  entry: {
    readonly json: string;
    readonly tokens?: Tokens | undefined;
    readonly state?: LogState | undefined;
  },
): Row {
  const { json, tokens = [], state } = entry;
  const facts = `${turn},${at},${tokens.length === 0 ? "0" : JSON.stringify(tokens)}`;
  const text = `${facts}${state === undefined ? "" : `,${JSON.stringify(state)}`}]\n${json}`;
  return { position, lane, text: `[${checksum(text, position)},${text}` };
}

type Facts = readonly [sum: number, turn: number, at: number, tokens: Tokens | 0, state?: LogState];

/**
 * Parses a row. The entry was validated when it was appended; the checksum shows that it has not changed by accident.
 *
 * @throws `HistoryError` with code `INVALID_ENTRY` if the row has changed, `UNKNOWN_VERSION` if a newer release wrote it. Errors do not quote content.
 */
export function loadRow({ position, text }: Row): LoadedRow {
  const begin = text.indexOf(",") + 1;
  if (text.slice(0, begin) !== `[${checksum(text.slice(begin), position)},`) {
    throw new HistoryError("The row of an entry was changed after it was written.", {
      code: "INVALID_ENTRY",
      details: { path: "" },
    });
  }
  const end = text.indexOf("\n");
  const [, turn, at, tokens, state]: Facts = JSON.parse(text.slice(0, end));
  const json = text.slice(end + 1);
  const entry = entryOf(json);
  const isErased = entry.id === "";
  return { position, json, isErased, turn, at, tokens: tokens === 0 ? [] : tokens, state, entry };
}

/**
 * Parses a row that a write depends on.
 *
 * @throws `HistoryError` with code `THREAD_CORRUPT` if it cannot be read.
 */
export function loadSound(row: Row): LoadedRow {
  try {
    return loadRow(row);
  } catch (cause) {
    throw corrupt(
      "every row that this call needs",
      { reason: "row", position: row.position },
      cause,
    );
  }
}

/** The entry of a row that has not changed: it was validated when it was written, unless another release wrote it. */
function entryOf(json: string): HistoryEntry {
  const { v, ...entry }: StoredEntry = JSON.parse(json);
  return v === STORED_VERSION ? entry : decodeEntry(json);
}

/** Describes why a row cannot be read. */
export function problemOf(position: number, error: unknown): StoredEntryProblem {
  return {
    position,
    kind: isHistoryError(error, "UNKNOWN_VERSION") ? "newer" : "broken",
    reason: isHistoryError(error) ? error.message : "The row cannot be read.",
  };
}

/** Computes the log state after rows that directly precede a position, in order. */
export function stateAfter(rows: readonly LoadedRow[]): LogState {
  const start = rows.findLastIndex(({ state }) => state !== undefined);
  const state = structuredClone(rows[start]?.state ?? BEGINNING);
  for (const { entry, position, turn, at } of rows.slice(start + 1)) {
    const { turnId = "" } = entry;
    takeEntry(state, entry, position, new Map(turn < at ? [[turnId, turn]] : []));
  }
  return state;
}

/** FNV-1a (32 bits) over the code units: detects rows that were changed or moved, not forged ones. */
function checksum(text: string, position: number): number {
  let sum = (0x811c9dc5 ^ position) | 0;
  for (let index = 0; index < text.length; index += 1)
    sum = Math.imul(sum ^ text.charCodeAt(index), 0x01000193);
  return sum >>> 0;
}

/*
 * Each id of a thread has one item `i`: the position of its row, `-` if the row was replaced, `-o` for a summary of a view; then the content that was replaced under
 * this id, as `<number of the replacement>:<hash of the content>`.
 */

/** The value of an item `i` for a summary of a view. */
export const OF_VIEW = "-o";

/** The position of an entry by its id; `undefined` if the log does not contain it. */
export function positionIn(named: Answer | undefined, id: string): number | undefined {
  const value = named?.items.get(id);
  if (value === undefined || value.startsWith("-")) return undefined;
  if (/^\d{1,15}(?: |$)/u.test(value)) return Number.parseInt(value, 10);
  throw corrupt("the position of an entry by its id", { reason: "id" });
}

/** The number and the start position of a turn. */
export function turnIn(
  turns: Answer | undefined,
  id: string,
): { readonly turn: number; readonly start: number } | undefined {
  const value = turns?.items.get(id)?.split(" ");
  return value && { turn: Number(value[1]), start: Number(value[2]) };
}

/** The contents that were replaced under an id, from the value of its item `i`: the number of the replacement, and the hash of the content. */
export function replacedUnder(
  value: string | undefined,
): readonly (readonly [cut: number, hash: string])[] {
  return (value?.split(" ").slice(1) ?? []).map((part) => {
    const [cut = "", hash = ""] = part.split(":");
    return [Number(cut), hash];
  });
}

/** The value of an item `i`, for an entry that stands at a position, or `-`. */
export function idValue(
  position: number | "-",
  replaced: ReturnType<typeof replacedUnder>,
): string {
  return [position, ...replaced.map(([cut, hash]) => `${cut}:${hash}`)].join(" ");
}

/** The content of a stored form. Leaves out `turnId`, which an append adds. */
export function contentOf(json: string): object {
  const { turnId: _, ...content }: { readonly turnId?: string } = JSON.parse(json);
  return content;
}

/**
 * Running state that assigns turn ids and numbers to entries, and the last positions at which the log is irregular (-1 for none). With it, the facts of the next row are computed
 * without the rows before it.
 */
export interface LogState {
  /** Number, start position and, once assigned, id of the newest turn. */
  newest: number;
  start: number;
  id?: string;
  /** The newest turn has an entry of a type that is not in `BESIDE`. */
  isBegun?: true;
  /** The newest turn ends with a user message: consecutive user messages belong to one turn. */
  isInRow?: true;
  /** The agent whose tasks begin turns as long as there is no user message. */
  firstAgent?: string;
  /** Position of the first user message. */
  user: number;
  /** Position of the last entry that was added to an older turn. */
  late: number;
  /** Position of the last row that stores a log state. */
  saved: number;
}

export const BEGINNING: LogState = {
  newest: 0,
  start: 0,
  user: -1,
  late: -1,
  saved: -1,
};

/** Facts stored beside an entry. */
export interface RowFacts {
  /** The number of its turn, and that of the newest turn at its position. */
  readonly turn: number;
  readonly at: number;
}

/** Types that belong to the turn at their position and never begin or end one; as does an erased entry. */
const BESIDE: ReadonlySet<string> = new Set(["attachment", "system_message", "memory", "summary"]);

/** An entry's place in a log. */
interface TakenEntry extends RowFacts {
  /** The entry's `turnId`; without one, its own id if it begins a turn, otherwise that of the newest turn. Types in `BESIDE` have none before the first turn. */
  readonly turnId: string | undefined;
  /** Whether it is the first entry of its turn. */
  readonly isNew: boolean;
}

/** Advances a state by the next entry. `numbers` are the numbers of known turns by id. */
export function takeEntry(
  state: LogState,
  entry: HistoryEntry,
  position: number,
  numbers: ReadonlyMap<string, number>,
): TakenEntry {
  const { type, id } = entry;
  // User messages begin turns. Before the first one, so do root tasks of the agent that got the first root task.
  const isRoot =
    type === "task" && state.user < 0 && entry.from === undefined && entry.taskId === undefined;
  const isFirsts = isRoot && (state.firstAgent ?? entry.agent.id) === entry.agent.id;
  const begins = type === "user_message" || isFirsts;
  // An erased entry has no id.
  const isBeside = BESIDE.has(type) || id === "";
  let { turnId } = entry;
  if (turnId === undefined && isBeside) turnId = state.id;
  else if (turnId === undefined && begins && state.isBegun === true && state.isInRow !== true)
    turnId = id;
  turnId ??= isBeside ? undefined : (state.id ?? id);
  if (type === "user_message" && state.user < 0) state.user = position;
  if (isFirsts) state.firstAgent ??= entry.agent.id;
  const isOther = turnId !== undefined && turnId !== state.id;
  const known = isOther && turnId !== undefined ? numbers.get(turnId) : undefined;
  if (known !== undefined && known !== state.newest) {
    state.late = position;
    return { turn: known, at: state.newest, turnId, isNew: false };
  }
  const isNew = isOther && known === undefined;
  if (isNew && state.id !== undefined) {
    state.newest += 1;
    state.start = position;
    delete state.isBegun;
    delete state.isInRow;
  }
  if (turnId !== undefined) state.id = turnId;
  if (!isBeside) {
    state.isBegun = true;
    if (type === "user_message") state.isInRow = true;
    else delete state.isInRow;
  }
  return { turn: state.newest, at: state.newest, turnId, isNew };
}

const MARKED: ReadonlySet<string> = new Set(["system_message", "memory", "summary"]);
const TALK: ReadonlySet<string> = new Set(["user_message", "assistant_message", "attachment"]);
/** The lane of entries of a type. */
export function laneOfType(type: string): Lane {
  if (MARKED.has(type)) return "m";
  return TALK.has(type) ? "c" : "h";
}
