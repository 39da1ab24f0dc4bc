import type { HistoryEntry, JsonValue, SummaryEntry } from "@agent-history/core";
import { HistoryError } from "@agent-history/core";
import { contentHash } from "@agent-history/core/kit";
import { decodeEntry, encodeEntry, jsonValueSchema, validCopy } from "@agent-history/core/schema";
import * as z from "zod/mini";

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
      /** How many first entries it shares with the thread above it, which are not repeated. */
      readonly shared: number;
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

/** The thread above another by its name; `undefined` if there can be none. */
export function parentOf(name: string): string | undefined {
  const slash = name.lastIndexOf("/");
  return slash < 0 || slash === name.length - 1 ? undefined : name.slice(0, slash);
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
    shared: count,
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
export function readRecord(stored: unknown): ThreadRecord {
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
export function unreadable(expected: string): HistoryError {
  return new HistoryError(`Expected ${expected}. The export is damaged or cut off: make another.`, {
    code: "INVALID_ENTRY",
  });
}
