import type { TextCleaner } from "@agent-history/core";

import { assertOption } from "./internal/assert-option.ts";
import { findCode } from "./internal/find-code.ts";
import type { Token } from "./internal/find-pairs.ts";
import { findPairs } from "./internal/find-pairs.ts";
import { findTokens } from "./internal/find-tokens.ts";
import { replaceSpans } from "./internal/replace-spans.ts";
import { withWhiteSpace } from "./internal/with-white-space.ts";

const NAME_ENDS = /[\s/>]/;

/** Every fence, indented line and piece of code within a line has one of them. */
const CODE_MARKS = ["`", "~~~", "\t", "    "];

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

/** Finds the tags of one name that are not quoted as code. Linear. */
function findTags(text: string, tag: string): readonly Token[] {
  const prose = withoutCode(text);
  const starts = findTokens(prose, `<${tag}`, `</${tag}>`);
  // Of the tags before: no character is looked at for two of them.
  let last = -1;
  return starts.flatMap((token, index) => {
    if (!token.opens) return token;
    const { start, end } = token;
    if (last < end) last = indexOrEnd(prose, ">", end);
    // A tag ends before the next one begins.
    if (last >= (starts[index + 1]?.start ?? prose.length)) return [];
    if (!NAME_ENDS.test(prose.charAt(end))) return [];
    const whole = { start, end: last + 1, opens: true };
    return prose.charAt(last - 1) === "/" ? [whole, { ...whole, opens: false }] : whole;
  });
}

function indexOrEnd(text: string, part: string, from: number): number {
  const index = text.indexOf(part, from);
  return index === -1 ? text.length : index;
}

/** Blanks what stands in code blocks, fenced or indented, and between two backticks of one line; all else keeps its place. */
function withoutCode(text: string): string {
  if (!CODE_MARKS.some((mark) => text.includes(mark))) return text;
  const prose = replaceSpans(text, findCode(text), " ");
  return prose.replace(/`[^`\n]*`/g, (code) => " ".repeat(code.length));
}
