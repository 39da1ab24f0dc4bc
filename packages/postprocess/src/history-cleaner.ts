import type { ContentPart, EntryOf, HistoryEntry } from "@agent-history/core";

import { cleanText, requireCleaners } from "./remove-from-text.ts";
import type { CleanedText, CleaningFailure, RemovalOptions, TextCut } from "./remove-from-text.ts";

/** Options of {@link historyCleaner}. */
export type HistoryCleanerOptions = Pick<RemovalOptions, "cleaners">;

/** Removes from a model's answers the text that was added to them. */
export interface HistoryCleaner {
  /**
   * Passes `signal` to the cleaners. Once it has fired, no further cleaner starts: rejects with a `HistoryError` of code
   * `ABORTED`, and nothing is changed.
   */
  clean(entries: readonly HistoryEntry[], signal?: AbortSignal): Promise<CleanedHistory>;
}

/** The cleaned entries, with a record of each cut. */
export interface CleanedHistory {
  /** The same array as the input if nothing was cut. */
  readonly entries: readonly HistoryEntry[];
  /** In the order of the entries and of their texts. */
  readonly cuts: readonly TextCut[];
  readonly failures: readonly CleaningFailure[];
}

/**
 * Makes a cleaner for histories: it removes from a model's answers the spans that the given cleaners find.
 *
 * Only text of answers is cleaned, part by part: never user messages, tool calls, tool results, reasoning,
 * opaque data, or a text that as a whole is JSON. An entry that becomes empty is removed, unless it has tool calls.
 * Entries without cuts are returned by identity. Copies of the others are cached weakly by the
 * cleaner: create it once; cleaning again returns the same copies and costs one look-up for each entry.
 *
 * @throws `HistoryError` with code `INVALID_OPTION` if `cleaners` is not an array of cleaners.
 * @example
 * ```ts
 * import { assistantMessage } from "@agent-history/core";
 * import { detailsCleaner, historyCleaner } from "@agent-history/postprocess";
 *
 * const cleaner = historyCleaner({ cleaners: [detailsCleaner()] });
 * const answer = assistantMessage({ id: "a1", content: "42.\n<details>6 * 7</details>" });
 * const { entries, cuts } = await cleaner.clean([answer]);
 * entries.map((entry) => "content" in entry && entry.content);
 * // => ["42."]
 * cuts;
 * // => [{ entryId: "a1", cleaner: "details", start: 3, end: 28 }]
 * ```
 */
export function historyCleaner(options: HistoryCleanerOptions): HistoryCleaner {
  requireCleaners(options);
  const { cleaners } = options;
  // Cache copies, so that cleaning again returns the same ones.
  const known = new WeakMap<HistoryEntry, CleanedEntry>();
  return {
    async clean(entries, signal) {
      const all: CleanedEntry[] = [];
      for (const entry of entries) {
        const cleaned = known.get(entry) ?? (await cleanEntry(entry, { cleaners, signal }));
        // Do not cache failures: the cleaner may succeed the next time.
        if (cleaned.failures.length === 0) known.set(entry, cleaned);
        all.push(cleaned);
      }
      const cuts = all.flatMap((cleaned) => cleaned.cuts);
      const failures = all.flatMap((cleaned) => cleaned.failures);
      const left = cuts.length === 0 ? entries : all.flatMap((cleaned) => cleaned.left);
      return { entries: left, cuts, failures };
    },
  };
}

/** The result of cleaning one entry. */
interface CleanedEntry extends Omit<CleanedHistory, "entries"> {
  /** The entry itself if nothing was cut, a copy, or nothing if it became empty. */
  readonly left: readonly HistoryEntry[];
}

/** Cleans the text of one entry, part by part. */
async function cleanEntry(entry: HistoryEntry, cleaning: RemovalOptions): Promise<CleanedEntry> {
  if (!isAnswer(entry)) return { left: [entry], cuts: [], failures: [] };
  const { content = [] } = entry;
  const isText = typeof content === "string";
  const parts: readonly ContentPart[] = isText ? [{ type: "text", text: content }] : content;
  const left: ContentPart[] = [];
  const texts: CleanedText[] = [];
  for (const [partIndex, part] of parts.entries()) {
    if (part.type !== "text" || isJson(part.text)) {
      left.push(part);
      continue;
    }
    const cleaned = await cleanText(part.text, cleaning, isText ? { entry } : { entry, partIndex });
    texts.push(cleaned);
    if (cleaned.text === part.text) left.push(part);
    // Remove empty parts: providers refuse them.
    else if (cleaned.text.trim() !== "") left.push({ ...part, text: cleaned.text });
  }
  const cuts = texts.flatMap((text) => text.cuts);
  const failures = texts.flatMap((text) => text.failures);
  if (cuts.length === 0) return { left: [entry], cuts, failures };
  const [part] = left;
  if (part === undefined && entry.type !== "action") return { left: [], cuts, failures };
  const isPlain = isText && part?.type === "text";
  return { left: [{ ...entry, content: isPlain ? part.text : left }], cuts, failures };
}

/** Returns whether a whole text is a JSON object or array, not prose. */
function isJson(text: string): boolean {
  try {
    return typeof JSON.parse(text) === "object";
  } catch {
    return false;
  }
}

type Answer = EntryOf<"assistant_message" | "action" | "synthesis" | "final">;

function isAnswer(entry: HistoryEntry): entry is Answer {
  return ANSWERS.has(entry.type);
}

const ANSWERS: ReadonlySet<string> = new Set<Answer["type"]>([
  "assistant_message",
  "action",
  "synthesis",
  "final",
]);
