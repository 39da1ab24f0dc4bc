import type { AsyncTextCleaner, EntryOf, HistoryEntry, TextCleaner } from "@agent-history/core";

import type { CleanedText, CleaningFailure, TextCut } from "./cleaned-text.ts";
import { assertOption } from "./internal/assert-option.ts";
import { cleanEntry } from "./internal/clean-entry.ts";
import type { CleanedEntry } from "./internal/clean-entry.ts";
import type { Cleaning } from "./internal/clean-text.ts";
import { requireCleaners } from "./internal/require-cleaners.ts";
import { runMaybeAsync } from "./internal/run-maybe-async.ts";
import type { Steps } from "./internal/run-maybe-async.ts";

/** The entry types of a model's answers; no other type is cleaned. */
export type AnswerType = "assistant_message" | "action" | "synthesis" | "final";

/** Options of {@link historyCleaner}. */
export interface HistoryCleanerOptions {
  /** Run in this order, each on the previous one's output: list them in the reverse order of the post-processors they undo. */
  readonly cleaners: readonly TextCleaner[];
  /** The entry types to clean. Default: all types of a model's answers. */
  readonly types?: readonly AnswerType[] | undefined;
}

/** {@link HistoryCleanerOptions} with cleaners that may be asynchronous. */
export interface AsyncHistoryCleanerOptions {
  readonly cleaners: readonly AsyncTextCleaner[];
  readonly types?: readonly AnswerType[] | undefined;
}

/** Removes from a model's answers the text that was added to them. */
export interface HistoryCleaner {
  clean(entries: readonly HistoryEntry[]): CleanedHistory;
}

/** An asynchronous {@link HistoryCleaner}. */
export interface AsyncHistoryCleaner {
  /**
   * Hands `signal` to the cleaners. Once it has fired, no further one begins: there is a `HistoryError` with code
   * `ABORTED`, and nothing is changed.
   */
  clean(
    entries: readonly HistoryEntry[],
    signal?: AbortSignal,
  ): CleanedHistory | Promise<CleanedHistory>;
}

/** The cleaned entries, with a record of each cut. */
export interface CleanedHistory {
  /** The same array as the input if nothing was cut. */
  readonly entries: readonly HistoryEntry[];
  /** In the order of the entries and of their texts. */
  readonly cuts: readonly TextCut[];
  readonly failures: readonly CleaningFailure[];
}

const ANSWER_TYPES: readonly AnswerType[] = ["assistant_message", "action", "synthesis", "final"];

/**
 * Makes a cleaner for histories: it removes from a model's answers the spans that the given cleaners find.
 *
 * Only text of answers is cleaned, part by part: never user messages, tool calls, tool results, reasoning,
 * opaque data, or a text that as a whole is JSON. An entry that becomes empty is removed, unless it has tool calls.
 * Entries without cuts are returned by identity. Copies of the others are cached weakly by the
 * cleaner: create it once; cleaning again returns the same copies and costs one look-up for each entry.
 *
 * @throws `HistoryError` with code `INVALID_OPTION` if a type is not one of an answer, or `cleaners` is not an array of cleaners.
 * @example
 * ```ts
 * import { assistantMessage } from "@agent-history/core";
 * import { detailsCleaner, historyCleaner } from "@agent-history/postprocess";
 *
 * const cleaner = historyCleaner({ cleaners: [detailsCleaner()] });
 * const answer = assistantMessage({ id: "a1", content: "42.\n<details>6 * 7</details>" });
 * const { entries, cuts } = cleaner.clean([answer]);
 * entries.map((entry) => "content" in entry && entry.content);
 * // => ["42."]
 * cuts;
 * // => [{ entryId: "a1", cleaner: "details", start: 3, end: 28 }]
 * ```
 */
export function historyCleaner(options: HistoryCleanerOptions): HistoryCleaner;
export function historyCleaner(options: AsyncHistoryCleanerOptions): AsyncHistoryCleaner;
export function historyCleaner(options: AsyncHistoryCleanerOptions): AsyncHistoryCleaner {
  requireCleaners(options);
  const { cleaners, types = ANSWER_TYPES } = options;
  for (const type of types) {
    assertOption(ANSWER_TYPES.includes(type), "types", type, "what a model answers with");
  }
  const memo: Memo = new WeakMap();
  return {
    clean: (entries, signal) =>
      runMaybeAsync(cleanEntries(entries, { cleaners, signal, types, memo })),
  };
}

type Memo = WeakMap<HistoryEntry, CleanedEntry>;

interface HistoryCleaning extends Cleaning {
  readonly types: readonly AnswerType[];
  readonly memo: Memo;
}

function* cleanEntries(
  entries: readonly HistoryEntry[],
  cleaning: HistoryCleaning,
): Steps<CleanedHistory> {
  const { types, memo } = cleaning;
  const left: HistoryEntry[] = [];
  const texts: CleanedText[] = [];
  for (const entry of entries) {
    let cleaned = memo.get(entry);
    if (cleaned === undefined && isOneOf(types, entry)) {
      cleaned = yield* cleanEntry(entry, cleaning);
      // A cleaner that failed may do better the next time.
      if (cleaned.texts.every(({ failures }) => failures.length === 0)) memo.set(entry, cleaned);
    }
    for (const each of cleaned?.left ?? [entry]) left.push(each);
    for (const text of cleaned?.texts ?? []) texts.push(text);
  }
  const cuts = texts.flatMap((text) => text.cuts);
  const failures = texts.flatMap((text) => text.failures);
  return { entries: cuts.length === 0 ? entries : left, cuts, failures };
}

function isOneOf(types: readonly AnswerType[], entry: HistoryEntry): entry is EntryOf<AnswerType> {
  return types.some((type) => type === entry.type);
}
