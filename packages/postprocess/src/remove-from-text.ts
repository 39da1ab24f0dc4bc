import { HistoryError, throwIfAborted } from "@agent-history/core";

import { cleanerFailed } from "./cleaner-errors.ts";
import type { TextCleaner, TextSource, TextSpan } from "./text-cleaner.ts";

/** Options of {@link removeFromText}. */
export interface RemovalOptions {
  /** Run in this order, each on the previous one's output: list them in the reverse order of the post-processors they undo. */
  readonly cleaners: readonly TextCleaner[];
  /** Passed to the cleaners. Once it has fired, no further cleaner starts. */
  readonly signal?: AbortSignal | undefined;
}

/** The cleaned text, with a record of each cut. */
export interface CleanedText {
  readonly text: string;
  /** In the order of the text and without overlap: the original without these spans is `text`. */
  readonly cuts: readonly TextCut[];
  readonly failures: readonly CleaningFailure[];
}

/** A cleaner and the text it worked on. */
export interface CleaningLocation {
  /** The name of the cleaner. */
  readonly cleaner: string;
  /** The entry of the text; missing for a bare text. */
  readonly entryId?: string;
  /** Index of the content part, from 0; missing if the content is plain text. */
  readonly partIndex?: number;
}

/** One cut, by UTF-16 offsets into the original text. */
export interface TextCut extends CleaningLocation, TextSpan {}

/** A cleaner that failed. The next cleaner got the text unchanged. */
export interface CleaningFailure extends CleaningLocation {
  /** What the cleaner threw; a `HistoryError` with code `CLEANER_FAILED` where it did anything but cut. */
  readonly error: unknown;
}

/**
 * Removes from a text the spans that cleaners find, and records each cut with cleaner and offsets.
 *
 * A cleaner that fails changes nothing and is reported; the next one runs. The overhead for each cleaner is linear in the length of
 * the text.
 *
 * @throws `HistoryError` with code `INVALID_OPTION` if `cleaners` is not an array of cleaners, `ABORTED` when `signal` fires.
 * @example
 * ```ts
 * import { followUpQuestionCleaner, removeFromText } from "@agent-history/postprocess";
 *
 * const shown = "Paris.\n\n<follow-up-question>And of Spain?</follow-up-question>";
 * await removeFromText(shown, { cleaners: [followUpQuestionCleaner()] });
 * // => { text: "Paris.", cuts: [{ cleaner: "follow-up-question", start: 6, end: 62 }], failures: [] }
 * ```
 */
export async function removeFromText(text: string, options: RemovalOptions): Promise<CleanedText> {
  requireCleaners(options);
  return cleanText(text, options);
}

/** Runs cleaners on a text one after another. */
export async function cleanText(
  text: string,
  { cleaners, signal }: RemovalOptions,
  source?: TextSource,
): Promise<CleanedText> {
  const { entry, ...part } = source ?? {};
  const where = { ...(entry && { entryId: entry.id }), ...part };
  const failures: CleaningFailure[] = [];
  let cuts: readonly TextCut[] = [];
  let current = text;
  for (const cleaner of cleaners) {
    throwIfAborted(signal);
    const location = { ...where, cleaner: cleaner.name };
    try {
      const spans = await cleaner.findSpans(current, source, signal);
      const left = withoutSpans(current, spans);
      if (left === undefined) throw cleanerFailed(cleaner.name);
      cuts = addCuts(cuts, spans, location);
      current = left;
    } catch (error) {
      throwIfAborted(signal);
      failures.push({ ...location, error });
    }
  }
  return { text: current, cuts, failures };
}

/** Returns a text without spans; `undefined` if they are not valid, ordered and disjoint. Linear. */
function withoutSpans(text: string, spans: readonly TextSpan[]): string | undefined {
  if (!Array.isArray(spans)) return undefined;
  let left = "";
  let at = 0;
  for (const span of spans as readonly (TextSpan | null | undefined)[]) {
    const { start = Number.NaN, end = Number.NaN } = span ?? {};
    if (!Number.isInteger(start) || !Number.isInteger(end)) return undefined;
    if (start < at || end < start || end > text.length) return undefined;
    left += text.slice(at, start);
    at = end;
  }
  return left + text.slice(at);
}

/**
 * Adds spans of the already cut text to its cuts, in order. Linear.
 *
 * Spans are recorded by their indexes in the original; one that crosses an earlier cut is recorded in pieces.
 */
function addCuts(
  cuts: readonly TextCut[],
  spans: readonly TextSpan[],
  location: CleaningLocation,
): readonly TextCut[] {
  const added: TextCut[] = [];
  let passed = 0;
  let shift = 0;
  for (const span of spans) {
    let { start } = span;
    while (start < span.end) {
      let cut = cuts[passed];
      for (; cut !== undefined && cut.start <= start + shift; cut = cuts[passed]) {
        shift += cut.end - cut.start;
        passed += 1;
      }
      const end = Math.min(span.end, (cut?.start ?? Infinity) - shift);
      added.push({ ...location, start: start + shift, end: end + shift });
      start = end;
    }
  }
  return [...cuts, ...added].toSorted((a, b) => a.start - b.start);
}

/** Throws unless `cleaners` is a list of cleaners: objects with a `name` and a function `findSpans`. */
export function requireCleaners(options: { readonly cleaners: unknown }): void {
  const cleaners: unknown = options?.cleaners;
  const wrong = Array.isArray(cleaners)
    ? cleaners.findIndex(
        (cleaner) => typeof cleaner?.name !== "string" || typeof cleaner?.findSpans !== "function",
      )
    : undefined;
  if (wrong === -1) return;
  const option = wrong === undefined ? "cleaners" : `cleaners.${wrong}`;
  const expected =
    wrong === undefined
      ? "a list of cleaners"
      : "a cleaner, which has a `name` and a function `findSpans`";
  throw new HistoryError(`Expected \`${option}\` to be ${expected}.`, {
    code: "INVALID_OPTION",
    details: { option },
  });
}
