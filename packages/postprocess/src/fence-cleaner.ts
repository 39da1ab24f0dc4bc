import type { TextCleaner } from "@agent-history/core";

import { assertOption } from "./internal/assert-option.ts";
import { findFences } from "./internal/find-fences.ts";
import { withWhiteSpace } from "./internal/with-white-space.ts";

/** What {@link fenceCleaner} cuts. */
export interface FenceCleanerOptions {
  /** The first word behind the opening fence, exactly. */
  readonly language: string;
  /** What reports call it. Default: the language. */
  readonly name?: string | undefined;
}

/**
 * Cuts the fenced code blocks of one language, with the white space before them.
 *
 * Fences are CommonMark's: three or more backticks or tildes, closed by as many or more. A fence within another, and
 * one that is never closed, stay.
 *
 * @throws `HistoryError` with code `INVALID_OPTION` on what is not one word.
 * @example
 * ```ts
 * import { fenceCleaner, removeFromText } from "@agent-history/postprocess";
 *
 * const shown = "It rose.\n\n```chart\n1,2,3\n```\n";
 * removeFromText(shown, { cleaners: [fenceCleaner({ language: "chart" })] }).text;
 * // => "It rose."
 * ```
 */
export function fenceCleaner(options: FenceCleanerOptions): TextCleaner {
  const { language, name = language } = options;
  assertOption(/^[^\s`]+$/.test(language), "language", language, "one word");
  return {
    name,
    findSpans: (text) => {
      const fences = findFences(text).filter(({ info }) => `${info} `.startsWith(`${language} `));
      return withWhiteSpace(text, fences);
    },
  };
}
