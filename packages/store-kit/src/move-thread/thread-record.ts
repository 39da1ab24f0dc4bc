import type { HistoryEntry, JsonValue, SummaryEntry } from "@agent-history/core";
import { HistoryError } from "@agent-history/core";
import { contentHash } from "@agent-history/core/kit";
import { decodeEntry, encodeEntry, jsonValueSchema, validCopy } from "@agent-history/core/schema";
import * as z from "zod/mini";

/** The version of the export that this release writes. */
const VERSION = 1;

/** Counts beside an entry, by counter id, in the order of the ids. */
export type EntryTokens = readonly (readonly [counterId: string, count: number])[];

/** One line of an export; discriminated by `kind`. Names of threads are relative to the thread that is exported, which is `""`. */
export type ThreadRecord =
  | { readonly kind: "export"; readonly format: "agent-history-threads"; readonly version: number }
  /** A thread begins; its entries follow. */
  | {
      readonly kind: "thread";
      readonly name: string;
      /** How many entries it shares with the thread that it is a fork of, which are not repeated. */
      readonly shared: number;
      /** The id of the last of them. */
      readonly at?: string;
      readonly isFork?: true;
    }
  | { readonly kind: "entry"; readonly entry: HistoryEntry; readonly tokens: EntryTokens }
  /** What stands beside the log of a thread follows. */
  | { readonly kind: "beside"; readonly name: string }
  | { readonly kind: "summary"; readonly summary: SummaryEntry }
  | { readonly kind: "state"; readonly key: string; readonly value: JsonValue }
  | {
      readonly kind: "metadata";
      readonly name: string;
      readonly title: string | null;
      readonly user: string | null;
      readonly tags: readonly string[];
    }
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
    shared: count,
    at: z.exactOptional(z.string()),
    isFork: z.exactOptional(z.literal(true)),
  }),
  z.object({
    kind: z.literal("entry"),
    entry: z.unknown(),
    tokens: z.array(z.tuple([z.string(), count])),
  }),
  z.object({ kind: z.literal("beside"), name: z.string() }),
  z.object({ kind: z.literal("summary"), summary: z.unknown() }),
  z.object({ kind: z.literal("state"), key: z.string(), value: jsonValueSchema }),
  z.object({
    kind: z.literal("metadata"),
    name: z.string(),
    title: z.nullable(z.string()),
    user: z.nullable(z.string()),
    tags: z.array(z.string()),
  }),
  z.object({ kind: z.literal("end"), threads: count, entries: count }),
]);

/**
 * Reads a record from its JSON.
 *
 * @throws `HistoryError` with code `INVALID_ENTRY` if it is none, and `UNKNOWN_VERSION` where a newer release wrote it. Neither quotes it.
 */
export function readRecord(stored: unknown): ThreadRecord {
  const record = validCopy(recordSchema, stored);
  if (record === undefined) throw invalidRecord("a record of an exported thread");
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
  throw invalidRecord("a summary that stands in a view");
}

function invalidRecord(expected: string): HistoryError {
  return new HistoryError(`Expected ${expected}.`, { code: "INVALID_ENTRY" });
}
