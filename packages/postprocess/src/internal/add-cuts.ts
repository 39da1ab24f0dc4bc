import type { TextSpan } from "@agent-history/core";

import type { CleaningPlace, TextCut } from "../cleaned-text.ts";

/**
 * Adds to the cuts of a text, which are in order, spans of what they left of it. Linear.
 *
 * The spans are recorded by their places in the original; one that reaches over an earlier cut is recorded in pieces.
 */
export function addCuts(
  cuts: readonly TextCut[],
  spans: readonly TextSpan[],
  place: CleaningPlace,
): readonly TextCut[] {
  const added: TextCut[] = [];
  let passed = 0;
  let shift = 0;
  for (const span of spans) {
    let { start } = span;
    while (start < span.end) {
      let cut = cuts[passed];
      for (; cut !== undefined && cut.start <= start + shift; cut = cuts[passed]) {
        shift += cut.end - cut.start;
        passed += 1;
      }
      const end = Math.min(span.end, (cut?.start ?? Infinity) - shift);
      added.push({ ...place, start: start + shift, end: end + shift });
      start = end;
    }
  }
  return cuts.length === 0 ? added : [...cuts, ...added].toSorted((a, b) => a.start - b.start);
}
