import { customEntry, HistoryError, isHistoryError } from "@agent-history/core";
import type { HistoryEntry, StoredEntryProblem } from "@agent-history/core";
import { STORED_VERSION } from "@agent-history/core/schema";

import type { Answer, Lane, Row } from "./driver.ts";
import { corrupt } from "./store-errors.ts";

/** Counts of an entry by counter. */
export type Tokens = readonly (readonly [counter: string, count: number])[];

/** A row that was read. */
export interface LoadedRow extends RowFacts {
  readonly position: number;
  /** With the id of its turn. */
  readonly entry: HistoryEntry;
  /** As it was appended. */
  readonly given: HistoryEntry;
  /** The stored form of the entry. */
  readonly json: string;
  readonly tokens: Tokens;
  readonly state: LogState | undefined;
  /** Its entry was erased: nothing is left but where it stood. */
  readonly isErased: boolean;
}

/** What stands for an entry that was erased. */
const ERASED: HistoryEntry = customEntry({ type: "erased", id: "", createdAtMs: 0 });

/** A row without its entry. */
export function erasedRow({ position, turn, at, entry, state }: LoadedRow, lane: Lane): Row {
  return rowOf(position, lane, { turn, at }, { json: "", turnId: entry.turnId, state });
}

/** Writes a row: its facts in one line, with a checksum of the entry at its position, then the entry. */
export function rowOf(
  position: number,
  lane: Lane,
  { turn, at }: RowFacts,
  entry: {
    readonly json: string;
    readonly tokens?: string | undefined;
    /** The id of its turn, if the entry names none. */
    readonly turnId?: string | undefined;
    readonly state?: LogState | undefined;
  },
): Row {
  const { json, tokens = "0", turnId, state } = entry;
  let facts = `${turn},${at},${checksum(json, position)},${tokens}`;
  if (turnId !== undefined) facts += `,${JSON.stringify(turnId)}`;
  if (state !== undefined) facts += `${turnId === undefined ? ",0" : ""},${JSON.stringify(state)}`;
  return { position, lane, text: `[${facts}]\n${json}` };
}

/**
 * Reads a row. What `rowOf` wrote was checked when it was appended: the checksum tells that it is the same.
 *
 * @throws `HistoryError` with code `INVALID_ENTRY` if the row is not what was written, `UNKNOWN_VERSION` if a newer release wrote it. Quotes nothing.
 */
export function loadRow({ position, text }: Row): LoadedRow {
  const end = text.indexOf("\n");
  const json = text.slice(end + 1);
  const facts = factsIn(text.slice(0, end));
  if (facts === undefined || facts[2] !== checksum(json, position)) {
    throw new HistoryError("Expected the row of an entry as it was written; it was changed.", {
      code: "INVALID_ENTRY",
      details: { path: "" },
    });
  }
  const [turn, at, , tokens, turnId, state] = facts;
  const isErased = json === "";
  const given = isErased ? ERASED : entryOf(json);
  return {
    position,
    json,
    isErased,
    turn,
    at,
    tokens: tokens === 0 ? [] : tokens,
    state,
    given,
    entry: typeof turnId === "string" ? { ...given, turnId } : given,
  };
}

/** The stored form of an entry with the id of its turn. @throws `HistoryError` with code `THREAD_CORRUPT`. */
export function storedEntry(row: Row): object {
  return { v: STORED_VERSION, ...loadSound(row).entry };
}

/** The entry of a row; `undefined` if it cannot be read. */
export function readableEntry(row: Row): HistoryEntry | undefined {
  try {
    const { entry, isErased } = loadRow(row);
    return isErased ? undefined : entry;
  } catch {
    return undefined;
  }
}

/**
 * Reads a row that a write depends on.
 *
 * @throws `HistoryError` with code `THREAD_CORRUPT` if it cannot be read.
 */
export function loadSound(row: Row): LoadedRow {
  try {
    return loadRow(row);
  } catch (cause) {
    throw corrupt("every row that this needs", { reason: "row", position: row.position }, cause);
  }
}

type Facts = readonly [
  turn: number,
  at: number,
  sum: number,
  tokens: Tokens | 0,
  turnId?: string | 0,
  state?: LogState,
];

function factsIn(line: string): Facts | undefined {
  try {
    const facts: Facts | null = JSON.parse(line);
    const isSound = Array.isArray(facts) && facts.slice(0, 3).every(Number.isSafeInteger);
    return isSound && facts.length >= 4 ? facts : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Reads an entry from the stored form that a store wrote.
 *
 * @throws `HistoryError` with code `UNKNOWN_VERSION`, `INVALID_ENTRY` if it is none.
 */
export function entryOf(json: string): HistoryEntry {
  const { v, ...entry } = storedIn(json);
  if (v === STORED_VERSION && isEntry(entry)) return entry;
  const isNewer = typeof v === "number" && v > STORED_VERSION;
  throw new HistoryError(
    isNewer
      ? `Expected a stored entry of version ${STORED_VERSION} or older; got version ${v}. Keep it, and read it with a newer release.`
      : "Expected the stored form of an entry.",
    isNewer
      ? { code: "UNKNOWN_VERSION", details: { version: v, entryId: String(entry["id"]) } }
      : { code: "INVALID_ENTRY", details: { path: "" } },
  );
}

/** What was checked when it was written is not checked as a whole again. */
function isEntry(entry: object): entry is HistoryEntry {
  return (
    "type" in entry &&
    typeof entry.type === "string" &&
    "id" in entry &&
    typeof entry.id === "string"
  );
}

function storedIn(json: string): { readonly [key: string]: unknown } {
  try {
    const stored: unknown = JSON.parse(json);
    if (typeof stored === "object" && stored !== null) return { ...stored };
  } catch {
    // The engine's own error would quote the text.
  }
  return {};
}

/** What is wrong with a row that cannot be read. */
export function problemOf(position: number, error: unknown): StoredEntryProblem {
  return {
    position,
    kind: isHistoryError(error, "UNKNOWN_VERSION") ? "newer" : "broken",
    reason: isHistoryError(error) ? error.message : "The row cannot be read.",
  };
}

/** The state of the log before a position, from the rows right before it, in order. */
export function stateAfter(rows: readonly LoadedRow[]): LogState {
  const start = rows.findLastIndex(({ state }) => state !== undefined);
  const state = structuredClone(rows[start]?.state ?? BEGINNING);
  for (const { entry, position, turn, at } of rows.slice(start + 1)) {
    const { turnId = "" } = entry;
    takeEntry(state, entry, position, new Map(turn < at ? [[turnId, turn]] : []));
  }
  return state;
}

/** FNV-1a (32 bits) over the code units: notices a row that was changed or moved, not one that was forged. */
function checksum(text: string, position: number): number {
  let sum = (0x811c9dc5 ^ position) | 0;
  for (let index = 0; index < text.length; index += 1)
    sum = Math.imul(sum ^ text.charCodeAt(index), 0x01000193);
  return sum >>> 0;
}

/*
 * What a thread knows by id is one item `i` for each: the position of its row, `-` where it has none any more, `-o` for a summary of a view; behind that what stood under the id and
 * was replaced, as `<number of the replacement>:<hash of the content>`.
 */

/** How many contents of one id are remembered. */
const MOST_REPLACED = 16;

/** The value of an item `i` whose entry stands at a position, where something stood under the id before. */
export function standingAt(position: number, before: string): string {
  return [position, ...replacedPart(before)].join(" ");
}

/** The value of an item `i` whose entry was replaced. */
export function replacedBy(cut: number, hash: string, before: string | undefined): string {
  const earlier = replacedPart(before).slice(1 - MOST_REPLACED);
  return ["-", ...earlier, `${cut}:${hash}`].join(" ");
}

/** The value of an item `i` that names a summary of a view. */
export const OF_VIEW = "-o";

/** The position of an entry by its id; `undefined` if the log has none. */
export function positionIn(named: Answer | undefined, id: string): number | undefined {
  const value = named?.items.get(id);
  if (value === undefined || value.startsWith("-")) return undefined;
  if (/^\d{1,15}(?: |$)/u.test(value)) return Number.parseInt(value, 10);
  throw corrupt("the position of an entry by its id", { reason: "id" });
}

/** A content that was replaced. */
export interface Replaced {
  /** By which replacement of the thread. */
  readonly cut: number;
  readonly hash: string;
}

/** What stood under an id and was replaced, from the value of its item `i`. */
export function replacedUnder(value: string | undefined): readonly Replaced[] {
  return replacedPart(value).map((part) => {
    const [cut = "", hash = ""] = part.split(":");
    return { cut: Number(cut), hash };
  });
}

function replacedPart(value: string | undefined): readonly string[] {
  return value?.split(" ").slice(1) ?? [];
}

/** The content of a stored form, to be hashed. An entry that was read has the id of its turn, which does not count. */
export function contentOf(json: string): object {
  const { turnId: _, ...content }: { readonly turnId?: string } = JSON.parse(json);
  return content;
}

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

/** Where an entry stands in a log. */
interface TakenEntry extends RowFacts {
  /** Its own, else that of the newest turn, else its own id, if it begins one. What stands beside turns has none before the first. */
  readonly turnId: string | undefined;
  /** It is the first of its turn. */
  readonly isNew: boolean;
}

/** Takes the next entry into a state. `numbers` are those of turns whose ids were seen before. */
export function takeEntry(
  state: LogState,
  entry: HistoryEntry,
  position: number,
  numbers: ReadonlyMap<string, number>,
): TakenEntry {
  const { type, id } = entry;
  // The user begins turns; as long as nobody spoke, tasks that nobody gave do, of the agent that was given the first.
  const isRoot =
    type === "task" && state.user < 0 && entry.from === undefined && entry.taskId === undefined;
  const isFirsts = isRoot && (state.firstAgent ?? entry.agent.id) === entry.agent.id;
  const begins = type === "user_message" || isFirsts;
  const isBeside = BESIDE.has(type);
  let { turnId } = entry;
  if (turnId === undefined && isBeside) turnId = state.id;
  else if (turnId === undefined && begins && state.isBegun === true && state.isInRow !== true)
    turnId = id;
  turnId ??= isBeside ? undefined : (state.id ?? id);
  if (type === "user_message" && state.user < 0) state.user = position;
  if (isFirsts) state.firstAgent ??= entry.agent.id;
  if (type === "action" && entry.toolCalls.some(({ callerId }) => callerId !== undefined))
    state.nested = position;
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
