import type { TextCleaner } from "@agent-history/core";

import { assertOption } from "./internal/cleaner-errors.ts";
import { findPairs } from "./internal/find-pairs.ts";
import type { Token } from "./internal/find-pairs.ts";

/** Options of {@link markerCleaner}. */
export interface MarkerCleanerOptions {
  /** Its name in reports. */
  readonly name: string;
  /** The exact start marker. */
  readonly open: string;
  /** The exact end marker. Neither marker may begin with the other. */
  readonly close: string;
}

/**
 * Cuts the text between two markers, including the markers.
 *
 * Markers are plain text, never a pattern. Of nested pairs the outermost is cut; a marker without a partner stays.
 *
 * @throws `HistoryError` with code `INVALID_OPTION` on an empty marker, or where one begins with the other.
 * @example
 * ```ts
 * import { markerCleaner, removeFromText } from "@agent-history/postprocess";
 *
 * const cleaners = [markerCleaner({ name: "banner", open: "[[", close: "]]" })];
 * removeFromText("[[Beta ]]Hello.", { cleaners }).text;
 * // => "Hello."
 * ```
 */
export function markerCleaner(options: MarkerCleanerOptions): TextCleaner {
  const { name, open, close } = options;
  const isApart = !open.startsWith(close) && !close.startsWith(open);
  assertOption(isApart, "close", close, "apart from `open`");
  return { name, findSpans: (text) => findPairs(findTokens(text, open, close)) };
}

/** Finds every opening and closing in a text, in order. Linear. */
function findTokens(text: string, open: string, close: string): readonly Token[] {
  const tokens: Token[] = [];
  let opening = text.indexOf(open);
  let closing = text.indexOf(close);
  while (opening !== -1 || closing !== -1) {
    const opens = closing === -1 || (opening !== -1 && opening < closing);
    const start = opens ? opening : closing;
    const end = start + (opens ? open : close).length;
    tokens.push({ start, end, opens });
    if (opens) opening = text.indexOf(open, end);
    else closing = text.indexOf(close, end);
  }
  return tokens;
}
