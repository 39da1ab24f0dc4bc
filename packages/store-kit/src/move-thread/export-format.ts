import { HistoryError, isHistoryError, throwIfAborted } from "@agent-history/core";
import type { HistoryEntry, JsonValue, SummaryEntry } from "@agent-history/core";
import { contentHash } from "@agent-history/core/kit";
import { decodeEntry, encodeEntry, jsonValueSchema, validCopy } from "@agent-history/core/schema";
import * as z from "zod/mini";

import { pause } from "../thread-access.ts";

/** The version of the export that this release writes. */
const VERSION = 1;

/** Counts beside an entry, by counter id, in the order of the ids. */
export type EntryTokens = readonly (readonly [counterId: string, count: number])[];

/** One line of an export; discriminated by `kind`. Behind the line of a thread stand its entries, its summaries and its state. */
export type ThreadRecord =
  | { readonly kind: "export"; readonly format: "agent-history-threads"; readonly version: number }
  | {
      readonly kind: "thread";
      /** Relative to the thread that is exported, which is `""`. */
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

/** The line that an export begins with. */
export const HEADER: ThreadRecord = {
  kind: "export",
  format: "agent-history-threads",
  version: VERSION,
};

/** Returns the JSON that a record is written as, without its sum. */
export function storedRecord(record: ThreadRecord): object {
  if (record.kind === "entry") return { ...record, entry: encodeEntry(record.entry) };
  if (record.kind === "summary") return { ...record, summary: encodeEntry(record.summary) };
  return record;
}

/** Returns the sum of a line: of its record, and of all lines before it. */
export function nextSum(before: string, stored: object): string {
  return contentHash([before, stored]);
}

const count = z.int().check(z.minimum(0));

/** A record whose entry or summary is not read yet. */
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
 * Reads a record from its JSON.
 *
 * @throws `HistoryError` with code `INVALID_ENTRY` if it is none, and `UNKNOWN_VERSION` where a newer release wrote it. Neither quotes it.
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
  throw unreadable("a summary that stands in a view");
}

/** What is no export, or no whole one. */
function unreadable(expected: string): HistoryError {
  return new HistoryError(`Expected ${expected}. The export is damaged or cut off: make another.`, {
    code: "INVALID_ENTRY",
  });
}

/** A line of an export that was found valid. */
export interface ReadLine {
  /** From 1. */
  readonly line: number;
  readonly record: ThreadRecord;
  /** Of this line and all before it. */
  readonly sum: string;
  /** UTF-8. */
  readonly bytes: number;
}

/** How many characters a line may have: an entry has at most a megabyte, and its counts come with it. */
const MAX_LINE = 4_000_000;
/** Other work runs after this long, in milliseconds. */
const TURN_MS = 10;

/**
 * Reads an export without importing it: whether it is whole and undamaged.
 *
 * @param text - What `exportThread` of a store gave, in pieces cut anywhere.
 * @returns How many threads and entries it has.
 * @throws `HistoryError` with code `INVALID_ENTRY` or `UNKNOWN_VERSION` where it is not; `details.line` says where, and nothing is quoted.
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
 * Reads the lines of an export, in their order, and refuses what is none, each line before the next.
 *
 * @throws `HistoryError` with code `INVALID_ENTRY` or `UNKNOWN_VERSION`; `details.line` says where.
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
      if (given !== sum) throw unreadable("a line as it was written, behind those before it");
      const record = readRecord(stored);
      if (!mayFollow(record, seen)) throw unreadable("a record that may stand here");
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

/** Says where an error belongs. */
export function atLine(error: unknown, line: number): unknown {
  if (!isHistoryError(error) || "line" in error.details || isPassing(error)) return error;
  const { message, code, details } = error;
  return new HistoryError(`${message} This is about line ${line} of the export.`, {
    code,
    details: { ...details, line },
    cause: error,
  });
}

/** The store or the caller could not go on: nothing is wrong with the line. */
function isPassing({ code }: HistoryError): boolean {
  return code === "ABORTED" || code === "STORE_UNAVAILABLE" || code === "OUTCOME_UNKNOWN";
}

/** The place of each kind among the lines of a thread. */
const PLACES = { export: 0, thread: 1, entry: 2, summary: 3, state: 4, end: 5 } as const;

/** What an export had so far. */
interface Seen {
  /** The thread that was begun last. */
  name: string | undefined;
  last: ThreadRecord["kind"] | undefined;
  threads: number;
  entries: number;
}

/** Whether a record may stand behind those before it. */
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
    // The engine's own error quotes the text.
    throw unreadable("a line of JSON");
  }
  const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
    typeof value === "object" && value !== null && !Array.isArray(value);
  if (!isRecord(parsed)) throw unreadable("a record of an exported thread");
  return parsed;
}

/** Splits text that comes in pieces, cut anywhere, into its lines. */
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
    // A text without line breaks would fill the memory: what it has so far is no line.
    if (length > MAX_LINE) break;
  }
  const last = pieces.join("");
  if (last !== "") yield last;
}
