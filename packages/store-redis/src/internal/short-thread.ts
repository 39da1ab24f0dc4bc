import { reindexLog, runProgram, withReplacements } from "@agent-history/store-kit/indexed";
import type { Answer, DerivedIndex, EntryRow, Fetch } from "@agent-history/store-kit/indexed";

import { decodeField } from "./encode-key-part.ts";
import { pairsOf } from "./reply.ts";
import { entryOfLine, packRows, rowEndsOf } from "./row-text.ts";
import { threadCorrupt } from "./thread-errors.ts";

/**
 * A thread is short until it passes one of these: its entries are fields of one hash, without an index. Then it moves to a log with an
 * index, in the script of that append.
 */
export interface ShortLimits {
  readonly entries: number;
  /** Characters of all its entries. */
  readonly length: number;
}

/** A short thread, read whole. */
export interface ShortThread {
  /** One for each position, but for those that are missing. */
  readonly rows: readonly EntryRow[];
  /** The rows as they are written, by position. */
  readonly lines: ReadonlyMap<number, string>;
  /** The characters of all lines. */
  readonly length: number;
  /** Fields by position. */
  readonly fields: ReadonlyMap<number, string>;
  readonly positions: ReadonlyMap<string, number>;
  readonly index: DerivedIndex;
}

/** Writes the value of an entry in the hash of a short thread. */
export function shortValue(position: number, line: string): string {
  return `${position} ${line}`;
}

/** Reads the position from a value of the map of ids, or of a short thread's hash; `undefined` of a summary, and of what is neither. */
export function positionOf(value: string | undefined): number | undefined {
  const [, position] = /^(\d{1,15})u?(?: |$)/.exec(value ?? "") ?? [];
  return position === undefined ? undefined : Number(position);
}

/** In the map of ids the positions of user messages are marked: attachments ask for them. */
export const MESSAGE_MARK = "u";

/**
 * Reads the hash of a short thread of `version` entries, and works out its index.
 *
 * @param left - What replacements of its end left, as JSON.
 */
export function readShortThread(reply: unknown, version: number, left?: string): ShortThread {
  const found = pairsOf(reply).flatMap(([field, value]) => {
    const position = positionOf(value);
    if (position === undefined || position >= version) return [];
    return [{ field, position, line: value.slice(value.indexOf(" ") + 1) }];
  });
  const sorted = found.toSorted((one, other) => one.position - other.position);
  // A replacement may leave more than one row's worth.
  const lines = sorted.map(({ line }) => line);
  const rowEnds = rowEndsOf(packRows(lines, 0));
  const rows = sorted.map(({ position, line }, index) => ({
    ...entryOfLine(line, position),
    // What it will be when the thread moves to a log.
    rowEnd: rowEnds[index] ?? position,
  }));
  const answer: Answer = { kind: "entries", rows };
  return {
    rows,
    lines: new Map(sorted.map(({ position, line }) => [position, line])),
    length: sorted.reduce((sum, { line }) => sum + line.length, 0),
    fields: new Map(sorted.map(({ position, field }) => [position, field])),
    positions: new Map(sorted.map(({ position, field }) => [decodeField(field), position])),
    index: indexWith(
      runProgram(reindexLog(version), () => answer),
      left,
    ),
  };
}

/** The log does not tell of what was replaced. */
function indexWith(index: DerivedIndex, left: string | undefined): DerivedIndex {
  if (left === undefined) return index;
  try {
    return { ...index, head: withReplacements(index.head, JSON.parse(left)) };
  } catch {
    throw threadCorrupt("meta");
  }
}

/** Answers a fetch from a short thread, where it is about entries and their index. */
export function answerFromShort(short: ShortThread, fetch: Fetch): Answer | undefined {
  const { index, positions, rows } = short;
  switch (fetch.kind) {
    case "facts":
      return { kind: "facts", facts: pick(index.facts, fetch.keys) };
    case "positions":
      return { kind: "positions", positions: pick(positions, fetch.ids) };
    case "entries": {
      const wanted = new Set(fetch.positions);
      return { kind: "entries", rows: rows.filter(({ position }) => wanted.has(position)) };
    }
    case "log": {
      const { from, to } = fetch;
      return { kind: "entries", rows: rows.filter(({ position: at }) => at >= from && at < to) };
    }
    case "references": {
      const { stream, after = 0, before = Infinity, limit } = fetch;
      const all = (index.references.get(stream) ?? []).toReversed();
      const within = all.filter(({ key }) => key > after && key < before).slice(0, limit);
      // What cannot be read stands in no stream: the log tells of it.
      return { kind: "references", rows: within, isMissing: index.problems.length > 0 };
    }
    default:
      return undefined;
  }
}

function pick<Value>(all: ReadonlyMap<string, Value>, keys: readonly string[]): Map<string, Value> {
  const picked = new Map<string, Value>();
  for (const key of keys) {
    const value = all.get(key);
    if (value !== undefined) picked.set(key, value);
  }
  return picked;
}
