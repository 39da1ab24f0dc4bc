import type { TextCleaner, TextSpan } from "@agent-history/core";

import { assertOption } from "./internal/cleaner-errors.ts";
import { closePair } from "./internal/find-pairs.ts";
import type { OwnSpan } from "./internal/with-white-space.ts";
import { withWhiteSpace } from "./internal/with-white-space.ts";

/** What stands behind a tag's name. */
const NAME_END = /[\s/>]/;

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
  return { name, findSpans: (text) => withWhiteSpace(text, findTagged(text, tag)) };
}

/** Finds what stands between tags of one name, and the tags, but for those that are quoted as code. Linear. */
function findTagged(text: string, tag: string): readonly OwnSpan[] {
  const prose = withoutCode(text);
  const open: number[] = [];
  const spans: OwnSpan[] = [];
  const beginning = `<${tag}`;
  const ending = `</${tag}>`;
  let opening = indexOrEnd(prose, beginning, 0);
  let closing = indexOrEnd(prose, ending, 0);
  let last = -1;
  // Each is searched for once it was passed: no character is looked at for two of them.
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

/** Blanks what stands in code blocks, fenced or indented, and between two backticks of one line; all else keeps its place. */
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

/** A line: the marks of quotations, white space, the marker of a list item, a fence, and what stands behind it. */
const LINE =
  /^(?<quotes>(?: {0,3}> ?)*)(?<space>[ \t]*)(?<item>(?:[-*+]|\d{1,9}[.)])(?:[ \t]+|$))?(?<run>`{3,}(?=[^`\n]*$)|~{3,})?(?<behind>.*)$/gm;

/** A fence that is open. */
interface OpenFence {
  readonly run: string;
  readonly start: number;
  /** In how many quotations it stands. */
  readonly depth: number;
}

/**
 * Finds the code blocks of a Markdown text wherever they stand: fenced ones, in quotations and list items too, and
 * indented ones. A fence that neither its like nor the end of its quotation closes is none. Linear.
 */
function findCode(text: string): readonly TextSpan[] {
  const spans: TextSpan[] = [];
  let fence: OpenFence | undefined;
  /** At which columns the items of lists begin, outermost first. */
  const lists: number[] = [];
  let above = 0;
  // Indented text continues a paragraph, else it is code.
  let isInParagraph = false;
  for (const { 0: line, index: start, groups = {} } of text.matchAll(LINE)) {
    const { quotes = "", space = "", item, run, behind = "" } = groups;
    const end = start + line.length;
    // Between the two characters of a line's end stands no line.
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
