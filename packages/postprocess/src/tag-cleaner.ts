import type { TextCleaner } from "@agent-history/core";

import { assertOption } from "./internal/assert-option.ts";
import { findPairs } from "./internal/find-pairs.ts";
import { findTags } from "./internal/find-tags.ts";
import { withWhiteSpace } from "./internal/with-white-space.ts";

/** What {@link tagCleaner} cuts. */
export interface TagCleanerOptions {
  /** The tag's name, as in `<details>`, in the case it is written in. */
  readonly tag: string;
  /** What reports call it. Default: the tag. */
  readonly name?: string | undefined;
}

/**
 * Cuts `<tag>…</tag>` with its content, and `<tag/>`.
 *
 * Tags may have attributes. Of a tag within itself the outermost goes; an opening that nothing closes and a closing of
 * nothing stay. Tags in a code block (fenced, in quotations and lists too, or indented), or between
 * backticks, are quoted and stay. The white space before a cut
 * goes too, where white space or the end follows. A model may write such a tag itself: only what {@link postProcessor}
 * marks is distinguished reliably.
 *
 * @throws `HistoryError` with code `INVALID_OPTION` on what is no tag name.
 * @example
 * ```ts
 * import { removeFromText, tagCleaner } from "@agent-history/postprocess";
 *
 * const cleaners = [tagCleaner({ tag: "ticker" })];
 * removeFromText('Apple <ticker symbol="AAPL">201 USD</ticker>rose.', { cleaners }).text;
 * // => "Apple rose."
 * ```
 */
export function tagCleaner(options: TagCleanerOptions): TextCleaner {
  const { tag, name = tag } = options;
  assertOption(/^[a-z][\w.:-]*$/i.test(tag), "tag", tag, "a tag name");
  return { name, findSpans: (text) => withWhiteSpace(text, findPairs(findTags(text, tag))) };
}
