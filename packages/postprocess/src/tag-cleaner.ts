import type { TextCleaner } from "@agent-history/core";

import { assertOption } from "./internal/assert-option.ts";
import { findCode } from "./internal/find-code.ts";
import { closePair } from "./internal/find-pairs.ts";
import type { OwnSpan } from "./internal/with-white-space.ts";
import { withWhiteSpace } from "./internal/with-white-space.ts";

/** Every fence, piece of code within a line and line that is indented by a tab has one of them. */
const CODE_MARKS = ["`", "~~~", "\t"];

/** What else than a line feed ends a line. */
const LINE_ENDS = ["\r", "\u2028", "\u2029"];

/** What stands behind a tag's name. */
const NAME_END = /[\s/>]/;

/** After this many tags in a row that begin no simple element, no more are tried. */
const MOST_MISSES = 8;

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
 * goes too, where white space or the end follows; at the end of the text that behind it, too. A model may write such a tag itself: only what {@link postProcessor}
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
  const simple = simpleElement(tag);
  return { name, findSpans: (text) => withWhiteSpace(text, findTagged(text, tag, simple)) };
}

/** Matches at one place what nearly every element is: an opening, text without a `<`, and the closing. */
function simpleElement(tag: string): RegExp {
  const name = tag.replaceAll(".", "\\.");
  return new RegExp(`<${name}(?=${NAME_END.source})[^<>]*(?:(?<=/)>|>[^<]*</${name}>)`, "y");
}

/** Finds what stands between tags of one name, and the tags, but for those that are quoted as code. Linear. */
function findTagged(text: string, tag: string, simple: RegExp): readonly OwnSpan[] {
  const prose = withoutCode(text);
  const open: number[] = [];
  const spans: OwnSpan[] = [];
  const beginning = `<${tag}`;
  const ending = `</${tag}>`;
  let at = 0;
  let misses = 0;
  // Each is searched for once it was passed: no character is looked at for two of them.
  let opening = -1;
  let closing = -1;
  let last = -1;
  while (true) {
    if (misses < MOST_MISSES) {
      const next = prose.indexOf("<", at);
      if (next === -1) return spans;
      simple.lastIndex = next;
      if (simple.test(prose)) {
        at = simple.lastIndex;
        spans.push({ start: next, end: at });
        misses = 0;
        continue;
      }
      misses += 1;
    }
    if (opening < at) opening = indexOrEnd(prose, beginning, at);
    if (closing < at) closing = indexOrEnd(prose, ending, at);
    if (opening === closing) return spans;
    if (closing < opening) {
      at = closing + ending.length;
      closePair(spans, open, at);
      continue;
    }
    const start = opening;
    at = start + beginning.length;
    opening = indexOrEnd(prose, beginning, at);
    if (last < at) last = indexOrEnd(prose, ">", at);
    // A tag ends before the next one begins.
    if (last >= Math.min(opening, closing) || !endsName(prose, at)) continue;
    open.push(start);
    if (prose.charCodeAt(last - 1) === 47) closePair(spans, open, last + 1);
  }
}

/** Returns whether a tag's name ends before a place. */
function endsName(text: string, index: number): boolean {
  const code = text.charCodeAt(index);
  // Nearly always it is one of these.
  return code === 62 || code === 32 || code === 47 || NAME_END.test(text.charAt(index));
}

function indexOrEnd(text: string, part: string, from: number): number {
  const index = text.indexOf(part, from);
  return index === -1 ? text.length : index;
}

/** Blanks what stands in code blocks, fenced or indented, and between two backticks of one line; all else keeps its place. */
function withoutCode(text: string): string {
  const mayQuote = CODE_MARKS.some((mark) => text.includes(mark)) || mayBeIndented(text);
  if (!mayQuote) return text;
  let prose = "";
  let at = 0;
  for (const { start, end } of findCode(text)) {
    prose += text.slice(at, start) + " ".repeat(end - start);
    at = end;
  }
  prose += text.slice(at);
  return prose.replace(/`[^`\n]*`/g, (code) => " ".repeat(code.length));
}

/** Returns whether a line may be indented by four spaces: it begins with them, or with a quotation. */
function mayBeIndented(text: string): boolean {
  for (let start = 0; start >= 0 && start < text.length;) {
    let at = start;
    while (at < start + 3 && text.charCodeAt(at) === 32) at += 1;
    const code = text.charCodeAt(at);
    if (code === 62 || code === 32) return true;
    start = text.indexOf("\n", at) + 1 || -1;
  }
  return LINE_ENDS.some((end) => text.includes(end)) && text.includes("    ");
}
