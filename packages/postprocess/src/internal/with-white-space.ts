import type { TextSpan } from "@agent-history/core";

/** A span that was just made, and nobody else has. */
export interface OwnSpan {
  start: number;
  end: number;
}

/**
 * Widens each span, in place, that white space or the end of the text follows by the white space before it, and at the end of the
 * text by that after it. Linear.
 */
export function withWhiteSpace(text: string, spans: readonly OwnSpan[]): readonly TextSpan[] {
  for (const span of spans) {
    let { start, end } = span;
    while (isSpace(text, end)) end += 1;
    const isLast = end === text.length;
    if (!isLast && end === span.end) continue;
    // No span but the last ends with white space, so this stops behind the one before.
    while (isSpace(text, start - 1)) start -= 1;
    span.start = start;
    if (isLast) span.end = end;
  }
  return spans;
}

function isSpace(text: string, index: number): boolean {
  const code = text.charCodeAt(index);
  // Nearly always it is one of these two.
  return (
    code === 32 || code === 10 || (!(code > 32 && code < 128) && /\s/.test(text.charAt(index)))
  );
}
