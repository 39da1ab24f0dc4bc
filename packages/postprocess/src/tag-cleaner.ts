import type { TextCleaner, TextSpan } from "@agent-history/core";

import { assertOption } from "./internal/cleaner-errors.ts";
import { closePair } from "./internal/find-pairs.ts";
import type { OwnSpan } from "./internal/with-white-space.ts";
import { withWhiteSpace } from "./internal/with-white-space.ts";

/** What follows a tag's name. */
const NAME_END = /[\s/>]/;

/** Options of {@link tagCleaner}. */
export interface TagCleanerOptions {
  /** The tag's name, as in `<details>`; case-sensitive. */
  readonly tag: string;
  /** Its name in reports. Default: the tag. */
  readonly name?: string | undefined;
}

/**
 * Cuts `<tag>…</tag>` with its content, and `<tag/>`.
 *
 * Tags may have attributes. Of nested tags of one name the outermost is cut; unmatched tags
 * stay. Tags in code blocks (fenced, also in quotations and lists, or indented) or between
 * backticks stay. The white space before a cut
 * is cut too if white space or the end of the text follows; at the end of the text, also that after it. A model may write such a tag itself: only what {@link postProcessor}
 * marks can be told apart reliably.
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
  return { name, findSpans: (text) => withWhiteSpace(text, findTagged(text, tag)) };
}

/** Finds tags of one name with their content, except in code. Linear. */
function findTagged(text: string, tag: string): readonly OwnSpan[] {
  const prose = withoutCode(text);
  const open: number[] = [];
  const spans: OwnSpan[] = [];
  const beginning = `<${tag}`;
  const ending = `</${tag}>`;
  let opening = indexOrEnd(prose, beginning, 0);
  let closing = indexOrEnd(prose, ending, 0);
  let last = -1;
  // Search for the next one only after the last was passed, so that the scan stays linear.
  while (opening !== closing) {
    if (closing < opening) {
      const at = closing + ending.length;
      closePair(spans, open, at);
      closing = indexOrEnd(prose, ending, at);
      continue;
    }
    const start = opening;
    const at = start + beginning.length;
    opening = indexOrEnd(prose, beginning, at);
    if (last < at) last = indexOrEnd(prose, ">", at);
    // A tag ends before the next one begins.
    if (last >= Math.min(opening, closing) || !NAME_END.test(prose.charAt(at))) continue;
    open.push(start);
    if (prose.charAt(last - 1) === "/") closePair(spans, open, last + 1);
  }
  return spans;
}

function indexOrEnd(text: string, part: string, from: number): number {
  const index = text.indexOf(part, from);
  return index === -1 ? text.length : index;
}

/** Blanks code blocks and inline code; all other characters keep their position. */
function withoutCode(text: string): string {
  let prose = "";
  let at = 0;
  for (const { start, end } of findCode(text)) {
    prose += text.slice(at, start) + " ".repeat(end - start);
    at = end;
  }
  prose += text.slice(at);
  return prose.replace(/`[^`\n]*`/g, (code) => " ".repeat(code.length));
}

/** A line: quotation marks, white space, list marker, fence, and the rest. */
const LINE =
  /^(?<quotes>(?: {0,3}> ?)*)(?<space>[ \t]*)(?<item>(?:[-*+]|\d{1,9}[.)])(?:[ \t]+|$))?(?<run>`{3,}(?=[^`\n]*$)|~{3,})?(?<behind>.*)$/gm;

/** An open fence. */
interface OpenFence {
  readonly run: string;
  readonly start: number;
  /** Depth of quotation. */
  readonly depth: number;
}

/**
 * Finds the code blocks of a Markdown text wherever they stand: fenced ones, in quotations and list items too, and
 * indented ones. A fence that is never closed does not count. Linear.
 */
function findCode(text: string): readonly TextSpan[] {
  const spans: TextSpan[] = [];
  let fence: OpenFence | undefined;
  /** Columns of the enclosing list items, outermost first. */
  const lists: number[] = [];
  let above = 0;
  // Indented text is code unless it continues a paragraph.
  let isInParagraph = false;
  for (const { 0: line, index: start, groups = {} } of text.matchAll(LINE)) {
    const { quotes = "", space = "", item, run, behind = "" } = groups;
    const end = start + line.length;
    // CRLF is one line break.
    if (line === "" && text.startsWith("\r\n", start - 1)) continue;
    const depth = quotes === "" ? 0 : quotes.split(">").length - 1;
    if (depth > above) isInParagraph = false;
    above = depth;
    if (fence !== undefined && depth < fence.depth) {
      spans.push({ start: fence.start, end: start });
      fence = undefined;
    }
    if (fence !== undefined) {
      if (run?.startsWith(fence.run) !== true || behind.trim() !== "") continue;
      spans.push({ start: fence.start, end });
      fence = undefined;
      isInParagraph = false;
      continue;
    }
    if (item === undefined && run === undefined && (behind === "" || behind === "\r")) {
      isInParagraph = false;
      continue;
    }
    const column = widthOf(space);
    if (item !== undefined || !isInParagraph) leaveLists(lists, column);
    const isDeep = column - (lists.at(-1) ?? 0) >= 4;
    if (isDeep && !isInParagraph) {
      spans.push({ start, end });
      continue;
    }
    if (item !== undefined) lists.push(widthOf(`${space}${item}`));
    if (run !== undefined && !isDeep) fence = { run, start, depth };
    isInParagraph = !ENDS_PARAGRAPH.test(behind);
  }
  return spans;
}

/** A heading, the line below one, or a break between paragraphs. */
const ENDS_PARAGRAPH = /^(?:#{1,6}(?:[ \t].*)?|=+[ \t]*|(?:[-_*][ \t]*){3,})\r?$/;

function leaveLists(lists: number[], column: number): void {
  while ((lists.at(-1) ?? 0) > column) lists.pop();
}

/** In columns: a tab goes on to the next multiple of four. */
function widthOf(text: string): number {
  let column = 0;
  for (const character of text) column += character === "\t" ? 4 - (column % 4) : 1;
  return column;
}
