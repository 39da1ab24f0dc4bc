import type { TextSpan } from "@agent-history/core";

/** A tag or marker in a text. */
export interface Token extends TextSpan {
  /** Whether it begins something; otherwise it ends it. */
  readonly opens: boolean;
}

/**
 * Returns the spans from each opening to its closing, the outermost only. Linear.
 *
 * A closing goes with the nearest opening that is still open, so that a stray opening does not swallow what comes later.
 */
export function findPairs(tokens: readonly Token[]): readonly TextSpan[] {
  const spans: TextSpan[] = [];
  const starts: number[] = [];
  for (const { start, end, opens } of tokens) {
    const from = opens ? undefined : starts.pop();
    if (opens) starts.push(start);
    if (from === undefined) continue;
    while ((spans.at(-1)?.start ?? -1) > from) spans.pop();
    spans.push({ start: from, end });
  }
  return spans;
}
