import type { TextSpan } from "@agent-history/core";

/** A fenced code block, from the first character of its first line to the last of its last. */
export interface Fence extends TextSpan {
  /** What stands behind the opening fence. */
  readonly info: string;
}

/** A line that begins with a fence. Backticks that more backticks follow are code within a line. */
const FENCE_LINE = /^ {0,3}(`{3,}(?=[^`\n]*$)|~{3,})(.*)$/gm;

/**
 * Finds the fenced code blocks of a Markdown text, as CommonMark has them at the top level; one that is never closed is
 * none. Linear.
 */
export function findFences(text: string): readonly Fence[] {
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
