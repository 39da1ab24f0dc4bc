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
  let isInList = false;
  // Indented text continues a paragraph, else it is code.
  let isInParagraph = false;
  for (const { 0: line, index: start, groups = {} } of text.matchAll(LINE)) {
    const { quotes = "", space = "", item, run, behind = "" } = groups;
    const end = start + line.length;
    const depth = quotes === "" ? 0 : quotes.split(">").length - 1;
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
    if (space === "" && item === undefined && !isInParagraph) isInList = false;
    const isDeep = isInList ? false : space.length >= 4 || space.includes("\t");
    if (isDeep && !isInParagraph) {
      spans.push({ start, end });
      continue;
    }
    if (item !== undefined) isInList = true;
    if (run !== undefined && !isDeep) fence = { run, start, depth };
    isInParagraph = true;
  }
  return spans;
}
