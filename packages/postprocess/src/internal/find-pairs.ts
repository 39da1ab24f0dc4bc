import type { TextSpan } from "@agent-history/core";

/** A tag or marker in a text. */
export interface Token extends TextSpan {
  /** Whether it opens; otherwise it closes. */
  readonly opens: boolean;
}

/** Returns the spans from each opening to its closing, the outermost only. Linear. */
export function findPairs(tokens: readonly Token[]): readonly TextSpan[] {
  const spans: TextSpan[] = [];
  const open: number[] = [];
  for (const { start, end, opens } of tokens) {
    if (opens) open.push(start);
    else closePair(spans, open, end);
  }
  return spans;
}

/**
 * Adds the span from the newest open opening to a closing, and removes the spans within it, so that only the
 * outermost stay. Unmatched openings and closings add nothing. Linear in total.
 */
export function closePair(spans: TextSpan[], open: number[], end: number): void {
  const start = open.pop();
  if (start === undefined) return;
  while ((spans.at(-1)?.start ?? -1) > start) spans.pop();
  spans.push({ start, end });
}
