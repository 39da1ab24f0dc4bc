import type { HistoryEntry } from "@agent-history/core";
import {
  HistoryError,
  isHistoryError,
  MAX_BATCH_BYTES,
  MAX_BATCH_ENTRIES,
  MAX_ENTRY_BYTES,
  isOverlay,
  sameJson,
} from "@agent-history/core";
import { STORED_VERSION, parseEntry, findNonJson } from "@agent-history/core/schema";

import { utf8Bytes } from "../utf8-bytes.ts";
import type { ReplacedEntry } from "./store-program.ts";

/** The most that one append may bring. The same in every store. */
export const BATCH_LIMITS: {
  readonly entries: number;
  /** UTF-8 bytes of all stored entries together. */
  readonly batchBytes: number;
  /** UTF-8 bytes of one stored entry. */
  readonly entryBytes: number;
} = { entries: MAX_BATCH_ENTRIES, batchBytes: MAX_BATCH_BYTES, entryBytes: MAX_ENTRY_BYTES };

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
  if (entries.length > BATCH_LIMITS.entries) {
    throw tooLarge("entries in a batch", BATCH_LIMITS.entries, entries.length);
  }
  for (const counts of options.tokens?.values() ?? []) requireCounts(counts, entries.length);
  const seen = new Set<string>();
  const prepared = entries.map((given, index) => {
    if (options.allowsViews !== true && isOverlay(given)) throw standsInView(given.id);
    const entry = parseGiven(given);
    if (seen.has(entry.id)) throw duplicateId(entry.id, "stands twice in the batch");
    seen.add(entry.id);
    const text = JSON.stringify(entry);
    // What `encodeEntry` gives, as text. Its size is counted before the two are joined: to count a joined text copies it.
    const json = VERSIONED + text.slice(1);
    const bytes = VERSIONED.length - 1 + utf8Bytes(text);
    if (bytes > BATCH_LIMITS.entryBytes) {
      throw tooLarge("bytes in an entry", BATCH_LIMITS.entryBytes, bytes, entry.id);
    }
    const tokens = tokensAt(index, options.tokens);
    return { entry, json, bytes, ...(tokens === undefined ? {} : { tokens }) };
  });
  const bytes = prepared.reduce((sum, one) => sum + one.bytes, 0);
  if (bytes > BATCH_LIMITS.batchBytes) {
    throw tooLarge("bytes in a batch", BATCH_LIMITS.batchBytes, bytes);
  }
  return { entries: prepared, bytes };
}

/**
 * Returns whether a batch is in the thread already: all or nothing.
 *
 * @param known - The stored form of those ids of the batch that the thread knows, summaries of its views included.
 * @param replaced - What stood under these ids and was replaced.
 * @throws `HistoryError` with code `DUPLICATE_ID` if only a part is known, or an id stands for another entry; `THREAD_CORRUPT` where what is stored
 * cannot be read.
 */
export function isKnownBatch(
  batch: PreparedBatch,
  known: ReadonlyMap<string, string>,
  replaced: ReadonlyMap<string, readonly ReplacedEntry[]> = new Map(),
): boolean {
  if (known.size === 0 && replaced.size === 0) return false;
  for (const { entry, json } of batch.entries) {
    const earlier = replaced.get(entry.id)?.map((one) => one.json) ?? [];
    const stored = [...earlier, known.get(entry.id) ?? []].flat();
    if (stored.length === 0 || stored.includes(json)) continue;
    const given: unknown = JSON.parse(json);
    if (!stored.some((text) => sameJson(storedJson(text, entry.id), given))) {
      throw duplicateId(entry.id, "stands for another entry of the thread");
    }
  }
  const isTaken = ({ entry: { id } }: PreparedEntry): boolean => known.has(id) || replaced.has(id);
  const first = batch.entries.find(isTaken);
  if (first === undefined) return false;
  if (batch.entries.every(isTaken)) return true;
  throw duplicateId(
    first.entry.id,
    "is known, others of the batch are not: send each batch again as it was",
  );
}

function storedJson(stored: string, entryId: string): unknown {
  try {
    return JSON.parse(stored);
  } catch {
    throw new HistoryError(
      "Expected the row of a known entry to be JSON. Nothing was written. Restore it from a backup.",
      { code: "THREAD_CORRUPT", details: { reason: "row", entryId } },
    );
  }
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

function tokensAt(
  index: number,
  tokens: ReadonlyMap<string, readonly number[]> | undefined,
): string | undefined {
  if (tokens === undefined) return undefined;
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

function duplicateId(entryId: string, what: string): HistoryError {
  return new HistoryError(`The entry id ${JSON.stringify(entryId)} ${what}. Nothing was written.`, {
    code: "DUPLICATE_ID",
    details: { entryId },
  });
}
