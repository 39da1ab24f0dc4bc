import type { TextSpan } from "@agent-history/core";

/**
 * Widens each span that white space or the end of the text follows by the white space before it, and at the end of the
 * text by that after it. Linear.
 */
export function withWhiteSpace(text: string, spans: readonly TextSpan[]): readonly TextSpan[] {
  return spans.map((span) => {
    let { start, end } = span;
    while (isSpace(text, end)) end += 1;
    const isLast = end === text.length;
    if (!isLast && end === span.end) return span;
    // No span but the last ends with white space, so this stops behind the one before.
    while (isSpace(text, start - 1)) start -= 1;
    return { start, end: isLast ? end : span.end };
  });
}

function isSpace(text: string, index: number): boolean {
  const code = text.charCodeAt(index);
  // Nearly always it is one of these two.
  return (
    code === 32 || code === 10 || (!(code > 32 && code < 128) && /\s/.test(text.charAt(index)))
  );
}
