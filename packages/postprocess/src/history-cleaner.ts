import type {
  AsyncTextCleaner,
  ContentPart,
  EntryOf,
  HistoryEntry,
  TextCleaner,
} from "@agent-history/core";

import { assertOption } from "./internal/cleaner-errors.ts";
import { andThen, cleanText, inTurn, requireCleaners } from "./remove-from-text.ts";
import type { CleanedText, Cleaning, CleaningFailure, TextCut } from "./remove-from-text.ts";

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
   * Passes `signal` to the cleaners. Once it has fired, no further cleaner starts: throws a `HistoryError` with code
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
  // Cache copies, so that cleaning again returns the same ones.
  const memo = new WeakMap<HistoryEntry, CleanedEntry>();

  function cleaned(entry: HistoryEntry, signal?: AbortSignal): MaybeLater<CleanedEntry> {
    const known = memo.get(entry);
    if (known !== undefined) return known;
    if (!isOneOf(types, entry)) return { left: [entry], texts: [] };
    return andThen(cleanEntry(entry, { cleaners, signal }), (made) => {
      // Do not cache failures: the cleaner may succeed the next time.
      if (made.texts.every(({ failures }) => failures.length === 0)) memo.set(entry, made);
      return made;
    });
  }

  return {
    clean(entries, signal) {
      const left: (readonly HistoryEntry[])[] = [];
      const texts: (readonly CleanedText[])[] = [];
      const done = inTurn(entries, (entry) =>
        andThen(cleaned(entry, signal), (made) => {
          left.push(made.left);
          texts.push(made.texts);
        }),
      );
      return andThen(done, () => {
        const cuts = texts.flat().flatMap((text) => text.cuts);
        const failures = texts.flat().flatMap((text) => text.failures);
        return { entries: cuts.length === 0 ? entries : left.flat(), cuts, failures };
      });
    },
  };
}

type MaybeLater<Value> = Value | Promise<Value>;

function isOneOf(types: readonly AnswerType[], entry: HistoryEntry): entry is EntryOf<AnswerType> {
  return types.some((type) => type === entry.type);
}

/** The result of cleaning one entry. */
interface CleanedEntry {
  /** The entry itself if nothing was cut, a copy, or `undefined` if it became empty. */
  readonly left: readonly HistoryEntry[];
  readonly texts: readonly CleanedText[];
}

/** Cleans the text of one entry, part by part. */
function cleanEntry(entry: EntryOf<AnswerType>, cleaning: Cleaning): MaybeLater<CleanedEntry> {
  const { content = [] } = entry;
  const isText = typeof content === "string";
  const parts: readonly ContentPart[] = isText ? [{ type: "text", text: content }] : content;
  const left: ContentPart[] = [];
  const texts: CleanedText[] = [];
  const done = inTurn(parts, (part, partIndex) => {
    if (part.type !== "text" || isJson(part.text)) {
      left.push(part);
      return;
    }
    const source = isText ? { entry } : { entry, partIndex };
    return andThen(cleanText(part.text, cleaning, source), (cleaned) => {
      texts.push(cleaned);
      if (cleaned.text === part.text) left.push(part);
      // Remove empty parts: providers refuse them.
      else if (cleaned.text.trim() !== "") left.push({ ...part, text: cleaned.text });
    });
  });
  return andThen(done, () => assembled(entry, left, texts));
}

function assembled(
  entry: EntryOf<AnswerType>,
  left: readonly ContentPart[],
  texts: readonly CleanedText[],
): CleanedEntry {
  if (texts.every(({ cuts }) => cuts.length === 0)) return { left: [entry], texts };
  const [part] = left;
  if (part === undefined && entry.type !== "action") return { left: [], texts };
  const isPlain = typeof entry.content === "string" && part?.type === "text";
  return { left: [{ ...entry, content: isPlain ? part.text : left }], texts };
}

/** Returns whether a whole text is a JSON object or array, not prose. */
function isJson(text: string): boolean {
  try {
    return typeof JSON.parse(text) === "object";
  } catch {
    return false;
  }
}
