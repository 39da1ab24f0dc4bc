import type { HistoryEntry, JsonValue, SummaryEntry } from "@agent-history/core";
import { HistoryError } from "@agent-history/core";
import { contentHash } from "@agent-history/core/content-hash";
import { decodeEntry, encodeEntry } from "@agent-history/core/schema";
import type { Check } from "@agent-history/core/stored-form";
import {
  countCheck,
  jsonValueCheck,
  kindsCheck,
  listCheck,
  literalCheck,
  optionalField,
  pairCheck,
  recordCheck,
  textCheck,
  unknownCheck,
  validCopy,
} from "@agent-history/core/stored-form";

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

/** A record whose entry or summary is not read yet. */
type StoredRecord =
  | Exclude<ThreadRecord, { readonly kind: "entry" | "summary" }>
  | { readonly kind: "entry"; readonly entry: unknown; readonly tokens: EntryTokens }
  | { readonly kind: "summary"; readonly summary: unknown };

type Kind<Name> = Extract<StoredRecord, { readonly kind: Name }>;

const nullableText: Check<string | null> = (value, refusal) =>
  value === null ? value : textCheck(value, refusal);

const recordKinds = kindsCheck<StoredRecord, "kind">(
  "kind",
  {
    export: recordCheck<Kind<"export">>({
      kind: literalCheck("export"),
      format: literalCheck("agent-history-threads"),
      version: countCheck,
    }),
    thread: recordCheck<Kind<"thread">>({
      kind: literalCheck("thread"),
      name: textCheck,
      shared: countCheck,
      at: optionalField(textCheck),
    }),
    entry: recordCheck<Kind<"entry">>({
      kind: literalCheck("entry"),
      entry: unknownCheck,
      tokens: listCheck(pairCheck(textCheck, countCheck)),
    }),
    beside: recordCheck<Kind<"beside">>({ kind: literalCheck("beside"), name: textCheck }),
    summary: recordCheck<Kind<"summary">>({
      kind: literalCheck("summary"),
      summary: unknownCheck,
    }),
    state: recordCheck<Kind<"state">>({
      kind: literalCheck("state"),
      key: textCheck,
      value: jsonValueCheck,
    }),
    metadata: recordCheck<Kind<"metadata">>({
      kind: literalCheck("metadata"),
      name: textCheck,
      title: nullableText,
      user: nullableText,
      tags: listCheck(textCheck),
    }),
    end: recordCheck<Kind<"end">>({
      kind: literalCheck("end"),
      threads: countCheck,
      entries: countCheck,
    }),
  },
  { object: "Expected a record" },
);

/**
 * Reads a record from its JSON.
 *
 * @throws `HistoryError` with code `INVALID_ENTRY` if it is none, and `UNKNOWN_VERSION` where a newer release wrote it. Neither quotes it.
 */
export function readRecord(stored: unknown): ThreadRecord {
  const record = validCopy(recordKinds, stored);
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
