import type { HistoryEntry } from "@agent-history/core";
import { customEntry, HistoryError, isHistoryError } from "@agent-history/core";
import type { StoredEntryProblem } from "@agent-history/core";
import { STORED_VERSION } from "@agent-history/core/schema";

import type { Lane, Row } from "./driver.ts";
import { BEGINNING, takeEntry } from "./log-state.ts";
import type { LogState, RowFacts } from "./log-state.ts";

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
  const { turnId } = entry;
  return rowOf(position, lane, { turn, at }, { json: "", turnId, ...(state && { state }) });
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
    readonly state?: LogState;
  },
): Row {
  const { json, tokens = "0", turnId, state } = entry;
  const beside = state === undefined ? [turnId] : [turnId ?? 0, state];
  const last = beside.map((one) => (one === undefined ? "" : `,${JSON.stringify(one)}`)).join("");
  const sum = checksum(json, position);
  return {
    position,
    lane,
    text: `[${turn},${at},${sum},${tokens}${last}]\n${json}`,
  };
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
    throw new HistoryError(
      "Expected every row that this write depends on to be readable. Nothing was written. `verify` lists those that are not; restore a backup.",
      { code: "THREAD_CORRUPT", details: { reason: "row", position: row.position }, cause },
    );
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
    const facts: unknown = JSON.parse(line);
    return isFacts(facts) ? facts : undefined;
  } catch {
    return undefined;
  }
}

function isFacts(value: unknown): value is Facts {
  return Array.isArray(value) && value.length >= 4 && value.slice(0, 3).every(Number.isSafeInteger);
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
  for (const { entry, position, turn, at } of rows.slice(start + 1))
    takeEntry(state, entry, position, turn < at ? turn : undefined);
  return state;
}

/** FNV-1a (32 bits) over the code units: notices a row that was changed or moved, not one that was forged. */
function checksum(text: string, position: number): number {
  let sum = (0x811c9dc5 ^ position) | 0;
  for (let index = 0; index < text.length; index += 1)
    sum = Math.imul(sum ^ text.charCodeAt(index), 0x01000193);
  return sum >>> 0;
}
