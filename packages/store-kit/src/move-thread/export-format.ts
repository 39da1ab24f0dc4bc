import { HistoryError, isHistoryError, throwIfAborted } from "@agent-history/core";
import type { HistoryEntry, JsonValue, SummaryEntry } from "@agent-history/core";
import { contentHash } from "@agent-history/core/kit";
import { decodeEntry, encodeEntry, jsonValueSchema, validCopy } from "@agent-history/core/schema";
import * as z from "zod/mini";

import { pause } from "../thread-access.ts";

/** The export format version that this release writes. */
const VERSION = 1;

/** Token counts of an entry by counter id, sorted by id. */
export type EntryTokens = readonly (readonly [counterId: string, count: number])[];

/** One line of an export; discriminated by `kind`. The line of a thread is followed by its entries, its summaries and its state. */
export type ThreadRecord =
  | { readonly kind: "export"; readonly format: "agent-history-threads"; readonly version: number }
  | {
      readonly kind: "thread";
      /** Relative to the exported thread, whose own name is `""`. */
      readonly name: string;
      readonly isFork: boolean;
      readonly title: string | null;
      readonly user: string | null;
      readonly tags: readonly string[];
    }
  | { readonly kind: "entry"; readonly entry: HistoryEntry; readonly tokens: EntryTokens }
  | { readonly kind: "summary"; readonly summary: SummaryEntry }
  | { readonly kind: "state"; readonly key: string; readonly value: JsonValue }
  | { readonly kind: "end"; readonly threads: number; readonly entries: number };

/** The first line of an export. */
export const HEADER: ThreadRecord = {
  kind: "export",
  format: "agent-history-threads",
  version: VERSION,
};

/** Returns the JSON form of a record, without its checksum. */
export function storedRecord(record: ThreadRecord): object {
  if (record.kind === "entry") return { ...record, entry: encodeEntry(record.entry) };
  if (record.kind === "summary") return { ...record, summary: encodeEntry(record.summary) };
  return record;
}

/** Returns the checksum of a line, over its record and all previous lines. */
export function nextSum(before: string, stored: object): string {
  return contentHash([before, stored]);
}

const count = z.int().check(z.minimum(0));

/** A record whose entry or summary is not decoded yet. */
const recordSchema = z.discriminatedUnion("kind", [
  z.object({
    kind: z.literal("export"),
    format: z.literal("agent-history-threads"),
    version: count,
  }),
  z.object({
    kind: z.literal("thread"),
    name: z.string(),
    isFork: z.boolean(),
    title: z.nullable(z.string()),
    user: z.nullable(z.string()),
    tags: z.array(z.string()),
  }),
  z.object({
    kind: z.literal("entry"),
    entry: z.unknown(),
    tokens: z.array(z.tuple([z.string(), count])),
  }),
  z.object({ kind: z.literal("summary"), summary: z.unknown() }),
  z.object({ kind: z.literal("state"), key: z.string(), value: jsonValueSchema }),
  z.object({ kind: z.literal("end"), threads: count, entries: count }),
]);

/**
 * Parses a record.
 *
 * @throws `HistoryError` with code `INVALID_ENTRY` if it is not a record, `UNKNOWN_VERSION` if a newer release wrote it. Errors do not quote it.
 */
function readRecord(stored: unknown): ThreadRecord {
  const record = validCopy(recordSchema, stored);
  if (record === undefined) throw unreadable("a record of an exported thread");
  if (record.kind === "export" && record.version > VERSION) {
    throw new HistoryError(
      `Expected an export of version ${VERSION} or older, got version ${record.version}. Import it with a newer release.`,
      { code: "UNKNOWN_VERSION", details: { version: record.version } },
    );
  }
  if (record.kind === "entry") return { ...record, entry: decodeEntry(record.entry) };
  if (record.kind !== "summary") return record;
  const summary = decodeEntry(record.summary);
  if (summary.type === "summary" && summary.view !== undefined) return { ...record, summary };
  throw unreadable("a summary that is in a view");
}

/** The error for a text that is not an export, or not a complete one. */
function unreadable(expected: string): HistoryError {
  return new HistoryError(
    `Expected ${expected}. The export is damaged or incomplete. Export the thread again.`,
    {
      code: "INVALID_ENTRY",
    },
  );
}

/** A valid line of an export. */
export interface ReadLine {
  /** Line number, from 1. */
  readonly line: number;
  readonly record: ThreadRecord;
  /** Checksum of this line and all previous ones. */
  readonly sum: string;
  /** Size in UTF-8 bytes. */
  readonly bytes: number;
}

/** Most characters of a line: an entry has at most one megabyte, plus its counts. */
const MAX_LINE = 4_000_000;
/** Yields to other work after this long, in milliseconds. */
const TURN_MS = 10;

/**
 * Checks that an export is complete and undamaged, without importing it.
 *
 * @param text - The text from `exportThread` of a store, in chunks of any size.
 * @returns How many threads and entries it contains.
 * @throws `HistoryError` with code `INVALID_ENTRY` or `UNKNOWN_VERSION` if it is not; `details.line` is the line number. The error does not quote the text.
 */
export async function checkExport(
  text: AsyncIterable<string> | Iterable<string>,
  { signal }: { readonly signal?: AbortSignal | undefined } = {},
): Promise<{ readonly threads: number; readonly entries: number }> {
  let found = { threads: 0, entries: 0 };
  for await (const { record } of readExport(text, signal)) {
    if (record.kind === "end") found = { threads: record.threads, entries: record.entries };
  }
  return found;
}

/**
 * Reads the lines of an export in order. Validates each line before it reads the next.
 *
 * @throws `HistoryError` with code `INVALID_ENTRY` or `UNKNOWN_VERSION`; `details.line` is the line number.
 */
export async function* readExport(
  text: AsyncIterable<string> | Iterable<string>,
  signal: AbortSignal | undefined,
): AsyncGenerator<ReadLine> {
  const encoder = new TextEncoder();
  const seen: Seen = { name: undefined, last: undefined, threads: 0, entries: 0 };
  let turnMs = performance.now();
  let line = 0;
  let sum = "";
  for await (const content of splitLines(text)) {
    throwIfAborted(signal);
    if (performance.now() - turnMs > TURN_MS) {
      await pause();
      turnMs = performance.now();
    }
    line += 1;
    try {
      const { sum: given, ...stored } = parseLine(content);
      sum = nextSum(sum, stored);
      if (given !== sum) throw unreadable("an unchanged line in its original position");
      const record = readRecord(stored);
      if (!mayFollow(record, seen)) throw unreadable("a record that is allowed here");
      seen.last = record.kind;
      if (record.kind === "thread") [seen.name, seen.threads] = [record.name, seen.threads + 1];
      if (record.kind === "entry") seen.entries += 1;
      yield { line, record, sum, bytes: encoder.encode(content).length };
    } catch (error) {
      throw atLine(error, line);
    }
  }
  if (seen.last !== "end") throw atLine(unreadable("the end of the export"), line + 1);
}

/** Adds the line number to an error, unless the error is not about the line. */
export function atLine(error: unknown, line: number): unknown {
  if (!isHistoryError(error) || "line" in error.details || isPassing(error)) return error;
  const { message, code, details } = error;
  return new HistoryError(`${message} The fault is in line ${line} of the export.`, {
    code,
    details: { ...details, line },
    cause: error,
  });
}

/** Whether the store failed or the caller aborted: nothing is wrong with the line. */
function isPassing({ code }: HistoryError): boolean {
  return code === "ABORTED" || code === "STORE_UNAVAILABLE" || code === "OUTCOME_UNKNOWN";
}

/** The order of kinds within a thread. */
const PLACES = { export: 0, thread: 1, entry: 2, summary: 3, state: 4, end: 5 } as const;

/** State of the export up to the current line. */
interface Seen {
  /** Name of the current thread. */
  name: string | undefined;
  last: ThreadRecord["kind"] | undefined;
  threads: number;
  entries: number;
}

/** Whether a record may follow the previous ones. */
function mayFollow(record: ThreadRecord, { name, last, threads, entries }: Seen): boolean {
  const { kind } = record;
  if (last === undefined || kind === "export") return last === undefined && kind === "export";
  if (last === "end") return false;
  if (kind === "thread" && name === undefined) return record.name === "";
  if (name === undefined) return false;
  if (kind === "thread") return record.name.startsWith("/") && record.name > name;
  if (kind === "end") return record.threads === threads && record.entries === entries;
  return PLACES[kind] >= PLACES[last];
}

function parseLine(content: string): Readonly<Record<string, unknown>> {
  let parsed: unknown;
  try {
    parsed = JSON.parse(content);
  } catch {
    // The engine's error would quote the text.
    throw unreadable("a line of JSON");
  }
  const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
    typeof value === "object" && value !== null && !Array.isArray(value);
  if (!isRecord(parsed)) throw unreadable("a record of an exported thread");
  return parsed;
}

/** Splits chunks of text into lines. */
async function* splitLines(
  text: AsyncIterable<string> | Iterable<string>,
): AsyncGenerator<string, void> {
  let pieces: string[] = [];
  let length = 0;
  for await (const piece of text) {
    const lines = piece.split("\n");
    const rest = lines.pop() ?? "";
    for (const line of lines) {
      yield [...pieces, line].join("");
      pieces = [];
      length = 0;
    }
    pieces.push(rest);
    length += rest.length;
    // Stops here, because a text without line breaks would fill the memory.
    if (length > MAX_LINE) break;
  }
  const last = pieces.join("");
  if (last !== "") yield last;
}
