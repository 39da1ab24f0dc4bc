import type { TextSpan } from "@agent-history/core";

/** A tag or marker in a text. */
export interface Token extends TextSpan {
  /** Whether it begins something; otherwise it ends it. */
  readonly opens: boolean;
}

/** Pairs openings with closings, passed in the order of the text. */
export interface Pairing {
  readonly open: (start: number) => void;
  readonly close: (end: number) => void;
  /** From each opening to its closing, the outermost only. */
  readonly spans: readonly TextSpan[];
}

/**
 * Begins to pair. Linear in all.
 *
 * A closing goes with the nearest opening that is still open, so that a stray opening does not swallow what comes later.
 */
export function pairing(): Pairing {
  const spans: TextSpan[] = [];
  const starts: number[] = [];
  return {
    spans,
    open: (start) => {
      starts.push(start);
    },
    close: (end) => {
      const start = starts.pop();
      if (start === undefined) return;
      while ((spans.at(-1)?.start ?? -1) > start) spans.pop();
      spans.push({ start, end });
    },
  };
}

/** Returns the spans from each opening to its closing, the outermost only. Linear. */
export function findPairs(tokens: readonly Token[]): readonly TextSpan[] {
  const { open, close, spans } = pairing();
  for (const { start, end, opens } of tokens) {
    if (opens) open(start);
    else close(end);
  }
  return spans;
}
