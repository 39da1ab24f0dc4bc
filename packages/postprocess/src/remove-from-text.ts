import type { AsyncTextCleaner, TextCleaner } from "@agent-history/core";

import type { CleanedText } from "./cleaned-text.ts";
import { cleanText } from "./internal/clean-text.ts";
import { requireCleaners } from "./internal/require-cleaners.ts";
import { runMaybeAsync } from "./internal/run-maybe-async.ts";

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
  return runMaybeAsync(cleanText(text, options));
}
