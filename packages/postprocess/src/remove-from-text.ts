import { HistoryError, throwIfAborted } from "@agent-history/core";
import type { AsyncTextCleaner, TextCleaner, TextSource, TextSpan } from "@agent-history/core";

import { cleanerFailed } from "./internal/cleaner-errors.ts";

/** Options of {@link removeFromText}. */
export interface RemovalOptions {
  /** Run in this order, each on the previous one's output: list them in the reverse order of the post-processors they undo. */
  readonly cleaners: readonly TextCleaner[];
}

/** {@link RemovalOptions} with cleaners that may be asynchronous. */
export interface AsyncRemovalOptions {
  readonly cleaners: readonly AsyncTextCleaner[];
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
 * A cleaner that fails changes nothing and is reported; the next one runs. The result is a promise if a cleaner is asynchronous, otherwise
 * it is returned synchronously. The overhead for each cleaner is linear in the length of the text.
 *
 * @throws `HistoryError` with code `INVALID_OPTION` if `cleaners` is not an array of cleaners, `ABORTED` when `signal` fires.
 * @example
 * ```ts
 * import { followUpQuestionCleaner, removeFromText } from "@agent-history/postprocess";
 *
 * const shown = "Paris.\n\n<follow-up-question>And of Spain?</follow-up-question>";
 * removeFromText(shown, { cleaners: [followUpQuestionCleaner()] });
 * // => { text: "Paris.", cuts: [{ cleaner: "follow-up-question", start: 6, end: 62 }], failures: [] }
 * ```
 */
export function removeFromText(text: string, options: RemovalOptions): CleanedText;
export function removeFromText(
  text: string,
  options: AsyncRemovalOptions,
): CleanedText | Promise<CleanedText>;
export function removeFromText(
  text: string,
  options: AsyncRemovalOptions,
): CleanedText | Promise<CleanedText> {
  requireCleaners(options);
  return cleanText(text, options);
}

/** A cleaner and the text it works on. */
export interface Cleaning {
  readonly cleaners: readonly AsyncTextCleaner[];
  readonly signal?: AbortSignal | undefined;
}

/** Runs cleaners on a text one after another; synchronously, unless one returns a promise. */
export function cleanText(
  text: string,
  { cleaners, signal }: Cleaning,
  source?: TextSource,
): CleanedText | Promise<CleanedText> {
  let current = text;
  let cuts: readonly TextCut[] = [];
  const failures: CleaningFailure[] = [];
  const { entry, ...part } = source ?? {};
  const where = { ...(entry && { entryId: entry.id }), ...part };

  function cut(cleaner: string, spans: readonly TextSpan[]): void {
    const left = withoutSpans(current, spans);
    if (left === undefined) throw cleanerFailed(cleaner);
    cuts = addCuts(cuts, spans, { ...where, cleaner });
    current = left;
  }
  function fail(cleaner: string, error: unknown): void {
    throwIfAborted(signal);
    failures.push({ ...where, cleaner, error });
  }
  const done = inTurn(cleaners, (cleaner) => {
    throwIfAborted(signal);
    try {
      const spans = cleaner.findSpans(current, source, signal);
      if (!(spans instanceof Promise)) return cut(cleaner.name, spans);
      return spans
        .then((found) => cut(cleaner.name, found))
        .catch((error: unknown) => fail(cleaner.name, error));
    } catch (error) {
      return fail(cleaner.name, error);
    }
  });
  return andThen(done, () => ({ text: current, cuts, failures }));
}

/** Handles items in order; synchronously until the first promise, then asynchronously. */
export function inTurn<Item>(
  items: readonly Item[],
  work: (item: Item, index: number) => void | Promise<void>,
): void | Promise<void> {
  const rest = items.entries();
  const goOn = (): void | Promise<void> => {
    for (const [index, item] of rest) {
      const done = work(item, index);
      if (done instanceof Promise) return done.then(goOn);
    }
  };
  return goOn();
}

/** Continues with a value or its promise. */
export function andThen<Value, Result>(
  value: Value | Promise<Value>,
  use: (value: Value) => Result,
): Result | Promise<Result> {
  return value instanceof Promise ? value.then((found) => use(found)) : use(value);
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
