import type { AsyncTextCleaner, TextCleaner } from "@agent-history/core";

import type { CleanedText } from "./cleaned-text.ts";
import { cleanText } from "./internal/clean-text.ts";
import { requireCleaners } from "./internal/require-cleaners.ts";
import { settle } from "./internal/settle.ts";

/** Which cleaners take something from a text, in which order. */
export interface RemovalOptions {
  /** Each works on what the one before it left: give them in the reverse order of what they undo. */
  readonly cleaners: readonly TextCleaner[];
}

/** {@link RemovalOptions} with cleaners that may have to wait. */
export interface AsyncRemovalOptions {
  readonly cleaners: readonly AsyncTextCleaner[];
  /** Handed to the cleaners. Once it has fired, no further one begins. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Removes from a text what cleaners find in it, and records what was cut, by whom and from where.
 *
 * A cleaner that fails changes nothing and is reported; the next one goes on. The result comes at once, and as a promise
 * where a cleaner gave one. Beside what the cleaners do, each costs time linear in the length of the text.
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
  return settle(cleanText(text, options));
}
