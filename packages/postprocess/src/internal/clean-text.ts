import type { AsyncTextCleaner, TextSource, TextSpan } from "@agent-history/core";
import { throwIfAborted } from "@agent-history/core";

import type { CleanedText, CleaningFailure, CleaningLocation, TextCut } from "../cleaned-text.ts";
import { cleanerFailed } from "./cleaner-failed.ts";
import type { Steps } from "./run-maybe-async.ts";

/** Who works on a text. */
export interface Cleaning {
  readonly cleaners: readonly AsyncTextCleaner[];
  readonly signal?: AbortSignal | undefined;
}

/** Cleans one text; waits at each `yield` for the spans of one cleaner. */
export function* cleanText(
  text: string,
  { cleaners, signal }: Cleaning,
  source?: TextSource,
): Steps<CleanedText> {
  let current = text;
  let cuts: readonly TextCut[] = [];
  const failures: CleaningFailure[] = [];
  const { entry, ...part } = source ?? {};
  const location = { ...(entry && { entryId: entry.id }), ...part };

  for (const cleaner of cleaners) {
    throwIfAborted(signal);
    try {
      const spans = yield cleaner.findSpans(current, source, signal);
      const left = withoutSpans(current, spans);
      if (left === undefined) throw cleanerFailed(cleaner.name);
      cuts = addCuts(cuts, spans, { ...location, cleaner: cleaner.name });
      current = left;
    } catch (error) {
      throwIfAborted(signal);
      failures.push({ ...location, cleaner: cleaner.name, error });
    }
  }
  return { text: current, cuts, failures };
}

/** Returns what spans leave of a text; nothing where they are no spans of it, in order and apart. Linear. */
function withoutSpans(text: string, spans: readonly TextSpan[]): string | undefined {
  if (!Array.isArray(spans)) return undefined;
  let left = "";
  let at = 0;
  for (const span of spans as readonly (TextSpan | null | undefined)[]) {
    const { start = Number.NaN, end = Number.NaN } = span ?? {};
    if (!Number.isInteger(start) || !Number.isInteger(end)) return undefined;
    if (start < at || end < start || end > text.length) return undefined;
    left += text.slice(at, start);
    at = end;
  }
  return left + text.slice(at);
}

/**
 * Adds to the cuts of a text, which are in order, spans of what they left of it. Linear.
 *
 * The spans are recorded by their indexes in the original; one that reaches over an earlier cut is recorded in pieces.
 */
function addCuts(
  cuts: readonly TextCut[],
  spans: readonly TextSpan[],
  location: CleaningLocation,
): readonly TextCut[] {
  const added: TextCut[] = [];
  if (cuts.length === 0) {
    const { cleaner, entryId, partIndex } = location;
    const isBare = entryId === undefined && partIndex === undefined;
    for (const { start, end } of spans) {
      // To spread costs as much as to find the span.
      if (start < end) added.push(isBare ? { cleaner, start, end } : { ...location, start, end });
    }
    return added;
  }
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
      added.push({ ...location, start: start + shift, end: end + shift });
      start = end;
    }
  }
  return [...cuts, ...added].toSorted((a, b) => a.start - b.start);
}
