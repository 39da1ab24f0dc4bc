import type { MoveOptions } from "@agent-history/core";
import { HistoryError, isHistoryError, throwIfAborted } from "@agent-history/core";

import { otherWork } from "../patience.ts";
import { nextSum, parentOf, readRecord, unreadable } from "./thread-record.ts";
import type { ThreadRecord } from "./thread-record.ts";

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
  { signal }: Pick<MoveOptions, "signal"> = {},
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
  const order = recordOrder();
  let turnMs = performance.now();
  let line = 0;
  let sum = "";
  for await (const content of splitLines(text)) {
    throwIfAborted(signal);
    if (performance.now() - turnMs > TURN_MS) {
      await otherWork();
      turnMs = performance.now();
    }
    line += 1;
    try {
      const { sum: given, ...stored } = parseLine(content);
      sum = nextSum(sum, stored);
      if (given !== sum) throw unreadable("a line as it was written, behind those before it");
      const record = readRecord(stored);
      order.take(record);
      yield { line, record, sum, bytes: encoder.encode(content).length };
    } catch (error) {
      throw atLine(error, line);
    }
  }
  if (!order.isWhole()) throw atLine(unreadable("the end of the export"), line + 1);
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

/** Refuses records in an order that no export has. */
function recordOrder(): {
  readonly take: (record: ThreadRecord) => void;
  readonly isWhole: () => boolean;
} {
  const names: string[] = [];
  let last: ThreadRecord["kind"] | undefined;
  let entries = 0;
  const isNext = (record: ThreadRecord): boolean => {
    const { kind } = record;
    if (last === undefined || kind === "export") return last === undefined && kind === "export";
    if (last === "end") return false;
    if (kind === "end")
      return names.length > 0 && record.threads === names.length && record.entries === entries;
    if (kind !== "thread") return names.length > 0 && PLACES[kind] >= PLACES[last];
    const { name, shared, isFork } = record;
    const isNamed = names.length === 0 ? name === "" : name > (names.at(-1) ?? "");
    const above = parentOf(name);
    return (
      isNamed &&
      (name === "" || name.startsWith("/")) &&
      (shared === 0 || (isFork && above !== undefined && names.includes(above)))
    );
  };
  return {
    take: (record) => {
      if (!isNext(record)) throw unreadable("a record that may stand here");
      last = record.kind;
      if (record.kind === "thread") names.push(record.name);
      if (record.kind === "entry") entries += 1;
    },
    isWhole: () => last === "end",
  };
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
