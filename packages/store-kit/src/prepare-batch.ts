import {
  HistoryError,
  isHistoryError,
  isOverlay,
  MAX_BATCH_BYTES,
  MAX_BATCH_ENTRIES,
  MAX_ENTRY_BYTES,
} from "@agent-history/core";
import type { HistoryEntry } from "@agent-history/core";
import { findNonJson, parseEntry, STORED_VERSION } from "@agent-history/core/schema";

import { duplicateId } from "./head.ts";

/** A batch, checked and ready to be written. */
export interface PreparedBatch {
  readonly entries: readonly PreparedEntry[];
  /** UTF-8 bytes of all `json` together. */
  readonly bytes: number;
}

/** An entry and its stored form. */
export interface PreparedEntry {
  readonly entry: HistoryEntry;
  /** The stored form, to be kept as it is. */
  readonly json: string;
  /** UTF-8 bytes of `json`. */
  readonly bytes: number;
  /** Counts by counter id as JSON, to be kept beside it. */
  readonly tokens?: string;
}

/** Deeper values are refused anyway. */
const MAX_DEPTH = 256;

/** How the stored form begins. */
const VERSIONED = `{"v":${STORED_VERSION},`;

/** What comes with a batch. */
export interface PrepareOptions {
  /** Counts to keep beside the entries, by counter id, in the order of `entries`. */
  readonly tokens?: ReadonlyMap<string, readonly number[]> | undefined;
  /** Takes summaries that stand in a view, which a log never has. Default `false`. */
  readonly allowsViews?: boolean;
}

/**
 * Checks a batch and encodes it. Costs time linear in its bytes.
 *
 * @throws `HistoryError` with code `TOO_LARGE` if it passes a limit, `DUPLICATE_ID` where an id stands in it twice,
 * `INVALID_ENTRY` where an entry breaks its type.
 */
export function prepareBatch(
  entries: readonly HistoryEntry[],
  options: PrepareOptions = {},
): PreparedBatch {
  if (entries.length > MAX_BATCH_ENTRIES) {
    throw tooLarge("entries in a batch", MAX_BATCH_ENTRIES, entries.length);
  }
  for (const counts of options.tokens?.values() ?? []) requireCounts(counts, entries.length);
  const seen = new Set<string>();
  let [length, bytes] = [0, 0];
  const prepared = entries.map((given, index): PreparedEntry => {
    // What is too long by its texts alone is refused before it is written as JSON.
    const own = textLength(given, 0);
    if (own > MAX_ENTRY_BYTES) throw tooLarge("bytes in an entry", MAX_ENTRY_BYTES, own, given.id);
    length += own;
    if (length > MAX_BATCH_BYTES) throw tooLarge("bytes in a batch", MAX_BATCH_BYTES, length);
    if (options.allowsViews !== true && isOverlay(given)) throw standsInView(given.id);
    const entry = parseGiven(given);
    if (seen.has(entry.id)) throw duplicateId(entry.id, "appears twice in the batch");
    seen.add(entry.id);
    const text = JSON.stringify(entry);
    // What `encodeEntry` gives, as text. Its size is counted before the two are joined: to count a joined text copies it.
    const json = VERSIONED + text.slice(1);
    const size = VERSIONED.length - 1 + utf8Bytes(text);
    if (size > MAX_ENTRY_BYTES)
      throw tooLarge("bytes in an entry", MAX_ENTRY_BYTES, size, entry.id);
    bytes += size;
    const tokens = options.tokens && tokensAt(index, options.tokens);
    return { entry, json, bytes: size, ...(tokens === undefined ? {} : { tokens }) };
  });
  if (bytes > MAX_BATCH_BYTES) throw tooLarge("bytes in a batch", MAX_BATCH_BYTES, bytes);
  return { entries: prepared, bytes };
}

/** The schema names no key of the user's own; the error names the key that JSON would lose. */
function parseGiven(given: HistoryEntry): HistoryEntry {
  const stated = withoutUndefined(given);
  try {
    return parseEntry(stated);
  } catch (error) {
    const found = findNonJson(stated);
    if (!isHistoryError(error) || found === undefined || found.path === "") throw error;
    const { path } = found;
    throw new HistoryError(
      `Expected JSON at \`${path}\`; got ${found.kind}. Nothing was written.`,
      {
        code: "INVALID_ENTRY",
        details: { ...error.details, path },
      },
    );
  }
}

/** JSON leaves out a field that is `undefined`. What cannot be read is for `parseEntry` to refuse. */
function withoutUndefined(given: HistoryEntry): unknown {
  try {
    if (!Object.values(given).includes(undefined)) return given;
    return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
  } catch {
    return given;
  }
}

/** Code units of all texts of a value: at most the bytes of its JSON. What cannot be read has none. */
function textLength(value: unknown, depth: number): number {
  if (typeof value === "string") return value.length;
  if (typeof value !== "object" || value === null || depth > MAX_DEPTH) return 0;
  let length = 0;
  try {
    for (const part of Object.values(value)) {
      length += textLength(part, depth + 1);
      if (length > MAX_ENTRY_BYTES) break;
    }
  } catch {
    // Refused by its type, later.
  }
  return length;
}

function tokensAt(
  index: number,
  tokens: ReadonlyMap<string, readonly number[]>,
): string | undefined {
  const counts = [...tokens].flatMap(([counter, ofBatch]) => {
    const count = ofBatch[index];
    return count === undefined ? [] : [[counter, count] as const];
  });
  return counts.length === 0 ? undefined : JSON.stringify(counts);
}

function requireCounts(counts: readonly number[], length: number): void {
  if (counts.length === length && counts.every((count) => count >= 0 && count < Infinity)) return;
  throw new HistoryError(
    `Expected \`tokens\` to have one count for each of the ${length} entries. Nothing was written.`,
    { code: "INVALID_OPTION", details: { option: "tokens" } },
  );
}

function standsInView(entryId: string): HistoryError {
  return new HistoryError(
    "Expected entries other than summaries of a view: add those with commitCompaction. Nothing was written.",
    { code: "INVALID_ENTRY", details: { path: "view", entryId } },
  );
}

function tooLarge(what: string, limit: number, actual: number, entryId?: string): HistoryError {
  return new HistoryError(
    `Expected at most ${limit} ${what}, got ${actual}. Nothing was sent. Send fewer entries at once, or store large content in a file and its path in the entry.`,
    { code: "TOO_LARGE", details: { limit, actual, entryId } },
  );
}

const encoder = new TextEncoder();
/** Reused: to make room for each text costs more than to count it. */
const scratch = new Uint8Array(64 * 1024);

/** Counts the UTF-8 bytes of a text. */
export function utf8Bytes(text: string): number {
  const fits = text.length * 3 <= scratch.length;
  return fits ? encoder.encodeInto(text, scratch).written : encoder.encode(text).length;
}
