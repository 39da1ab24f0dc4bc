import type { TextSpan } from "@agent-history/core";

/** A span that may be changed in place. */
export interface OwnSpan {
  start: number;
  end: number;
}

/**
 * Extends, in place, each span that is followed by white space or the end of the text by the white space before it, and at the end of the
 * text by that after it. Linear.
 */
export function withWhiteSpace(text: string, spans: readonly OwnSpan[]): readonly TextSpan[] {
  for (const span of spans) {
    let { start, end } = span;
    while (isSpace(text, end)) end += 1;
    const isLast = end === text.length;
    if (!isLast && end === span.end) continue;
    // Only the last span ends with white space, so this stops after the previous one.
    while (isSpace(text, start - 1)) start -= 1;
    span.start = start;
    if (isLast) span.end = end;
  }
  return spans;
}

function isSpace(text: string, index: number): boolean {
  const code = text.charCodeAt(index);
  // Fast path for the most common ones.
  return (
    code === 32 || code === 10 || (!(code > 32 && code < 128) && /\s/.test(text.charAt(index)))
  );
}
