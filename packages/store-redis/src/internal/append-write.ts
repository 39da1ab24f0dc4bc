import type { ExpectedVersion } from "@agent-history/core";
import { countsOf, messageOfFact, versionOf } from "@agent-history/store-kit/indexed";
import type { IndexedBatch, PreparedBatch, ReferenceRow } from "@agent-history/store-kit/indexed";

import { APPEND } from "../lua/append.ts";
import { decodeField, encodeField } from "./encode-key-part.ts";
import type { ThreadWriter } from "./known-threads.ts";
import { lineOf, packRows, rowEndsOf, rowOf } from "./row-text.ts";
import type { PackedRow } from "./row-text.ts";
import { MESSAGE_MARK } from "./short-thread.ts";
import type { ShortLimits, ShortThread } from "./short-thread.ts";
import { referencesKey } from "./tree-keys.ts";
import type { ThreadLocation } from "./tree-keys.ts";
import type { ThreadWrite } from "./write-thread.ts";

/** Where a batch goes. */
export interface PlannedRows {
  /** The entries' ids as fields, in order. */
  readonly ids: readonly string[];
  /** The entries as they are written, in order. */
  readonly lines: readonly string[];
  /** Rows of the log; none where the thread stays short. */
  readonly rows: readonly PackedRow[];
  readonly rowEnds: readonly number[];
  /** The characters of the short thread that it becomes; `undefined` for a long one. */
  readonly shortLength: number | undefined;
  /** What the thread has so far goes to the log with it. */
  readonly moves: boolean;
}

/** Plans where a batch goes behind what a thread has. */
export function planRows(
  limits: ShortLimits,
  writer: ThreadWriter,
  { entries }: PreparedBatch,
): PlannedRows {
  const version = versionOf(writer.head);
  const ids = entries.map(({ entry }) => encodeField(entry.id));
  const lines = entries.map((entry, index) => lineOf(entry, version + index, ids[index]));
  const length = lines.reduce((sum, line) => sum + line.length, writer.shortLength ?? 0);
  const isWithin = version + lines.length <= limits.entries && length <= limits.length;
  if (writer.shortLength !== undefined && isWithin) {
    return { ids, lines, rows: [], rowEnds: [], shortLength: length, moves: false };
  }
  const rows = packRows(lines, version);
  const moves = writer.shortLength !== undefined && version > 0;
  return { ids, lines, rows, rowEnds: rowEndsOf(rows), shortLength: undefined, moves };
}

/** A short thread on its way to a log. */
export type Moving = Pick<ShortThread, "index" | "lines" | "fields">;

/** A thread that stays what it is. */
export const NOTHING_MOVES: Moving = {
  index: {
    head: undefined,
    facts: new Map(),
    references: new Map(),
    ids: [],
    problems: [],
  },
  lines: new Map(),
  fields: new Map(),
};

/** Returns the script's arguments for a batch. */
export function appendWrite(
  location: ThreadLocation,
  {
    batch: { entries },
    index,
    expected,
    planned,
    moving,
  }: {
    readonly batch: PreparedBatch;
    readonly index: IndexedBatch;
    readonly expected: ExpectedVersion;
    readonly planned: PlannedRows;
    readonly moving: Moving;
  },
): ThreadWrite {
  const { position } = index;
  const staysShort = planned.shortLength !== undefined;
  const { ids } = planned;
  const moved = [...moving.fields.values()];
  const messages = new Set([...moving.index.facts.keys()].map(messageOfFact));
  const marks = [
    ...moved.map((field) => markOf(messages.has(decodeField(field)))),
    ...entries.map(({ entry }) => markOf(entry.type === "user_message")),
  ];
  const logRows = rowsAsArguments([...packRows([...moving.lines.values()], 0), ...planned.rows]);
  const streams = staysShort ? [] : streamsOf(moving.index.references, index.references);
  const references = streams.flatMap(([, rows], nth) =>
    rows.flatMap(({ key, references: text }) => [String(nth + 1), `${key}-0`, text]),
  );
  const facts = staysShort ? [] : keptFacts(moving.index.facts, index.facts);
  const sizes = [
    ids.length,
    moved.length,
    logRows.length / 2,
    streams.length,
    references.length / 3,
    facts.length * 2,
  ];
  const isLong = !staysShort && position > 0 && !planned.moves;
  return {
    script: APPEND,
    keys: streams.map(([stream]) => referencesKey(location, stream)),
    args: [
      ...sizes.map(String),
      expectedEntries(expected, index.head),
      String(position),
      index.head,
      isLong ? "long" : "short",
      staysShort ? "short" : "long",
      marks.join(""),
      String(countsOf(index.head).replacements),
      ...moved,
      ...ids,
      ...(staysShort ? planned.lines : logRows),
      ...references,
      ...facts.flatMap(([key, fact]) => [encodeField(key), fact]),
    ],
  };
}

/** The script counts entries. */
function expectedEntries(expected: ExpectedVersion, head: string): string {
  if (typeof expected !== "number") return expected;
  const { version, entryCount } = countsOf(head);
  return String(expected - version + entryCount);
}

function markOf(isMessage: boolean): string {
  return isMessage ? MESSAGE_MARK : " ";
}

/** Facts of both, but for positions of messages, which the map of ids has. */
function keptFacts(
  ...both: readonly ReadonlyMap<string, string>[]
): readonly (readonly [key: string, fact: string])[] {
  const facts = new Map(both.flatMap((one) => [...one]));
  return [...facts].filter(([key]) => messageOfFact(key) === undefined);
}

function rowsAsArguments(rows: readonly PackedRow[]): readonly string[] {
  return rows.flatMap(({ last, lines }) => [`${last + 1}-0`, rowOf(lines)]);
}

/** Puts rows of references behind others of the same streams. */
function streamsOf(
  first: IndexedBatch["references"],
  second: IndexedBatch["references"],
): readonly (readonly [stream: string, rows: readonly ReferenceRow[]])[] {
  if (first.size === 0) return [...second];
  const names = new Set([...first.keys(), ...second.keys()]);
  return [...names].map((name) => [
    name,
    [...(first.get(name) ?? []), ...(second.get(name) ?? [])],
  ]);
}
