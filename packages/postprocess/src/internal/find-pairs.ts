import type { TextSpan } from "@agent-history/core";

/** A tag or marker in a text. */
export interface Token extends TextSpan {
  /** Whether it begins something; otherwise it ends it. */
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
 * Adds the span from the newest of the openings that are still open, which it takes, to a closing, and removes the spans within it: the
 * outermost are left. A stray opening does not swallow what comes later; a closing of nothing adds nothing. Linear in all.
 */
export function closePair(spans: TextSpan[], open: number[], end: number): void {
  const start = open.pop();
  if (start === undefined) return;
  while ((spans.at(-1)?.start ?? -1) > start) spans.pop();
  spans.push({ start, end });
}
