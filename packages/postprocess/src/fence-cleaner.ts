import type { TextCleaner, TextSpan } from "@agent-history/core";

import { assertOption } from "./internal/cleaner-errors.ts";
import { withWhiteSpace } from "./internal/with-white-space.ts";

/** A line that begins with a fence. Backticks that more backticks follow are code within a line. */
const FENCE_LINE = /^ {0,3}(`{3,}(?=[^`\n]*$)|~{3,})(.*)$/gm;

/** Options of {@link fenceCleaner}. */
export interface FenceCleanerOptions {
  /** The exact first word after the opening fence. */
  readonly language: string;
  /** Its name in reports. Default: the language. */
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

/** A fenced code block, from the first character of its first line to the last of its last. */
interface Fence extends TextSpan {
  /** The text after the opening fence. */
  readonly info: string;
}

/**
 * Finds the fenced code blocks of a Markdown text, at the top level, as CommonMark defines them; unclosed ones
 * do not count. Linear.
 */
function findFences(text: string): readonly Fence[] {
  const fences: Fence[] = [];
  let open: { readonly run: string; readonly info: string; readonly start: number } | undefined;
  for (const { 0: line, 1: run = "", 2: behind = "", index: start } of text.matchAll(FENCE_LINE)) {
    const info = behind.trim();
    if (open === undefined) {
      open = { run, info, start };
    } else if (info === "" && run.startsWith(open.run)) {
      fences.push({ start: open.start, end: start + line.trimEnd().length, info: open.info });
      open = undefined;
    }
  }
  return fences;
}
