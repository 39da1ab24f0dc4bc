import type { TextSpan } from "@agent-history/core";

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
export function findCode(text: string): readonly TextSpan[] {
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
