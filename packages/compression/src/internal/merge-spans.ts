import type { AllowedSpan } from "./allowed-spans.ts";
import type { Settings } from "./settings.ts";

/** Puts neighboring spans together until each has room for a few sentences under the one cap that they share. */
export function mergeSpans(
  spans: readonly AllowedSpan[],
  { maxTokens, minSavedShare }: Settings,
): readonly AllowedSpan[] {
  const all = spans.reduce((sum, { tokens }) => sum + tokens, 0);
  const cap = summaryCap(all, maxTokens, minSavedShare);
  const least = (all * SPAN_TOKENS) / Math.max(1, cap);
  const merged: AllowedSpan[] = [];
  for (const span of spans) {
    const last = merged.at(-1);
    if (last === undefined || last.tokens >= least || !mayMerge(last, span)) {
      merged.push(span);
    } else merged[merged.length - 1] = mergeTwo(last, span);
  }
  const [before, last] = merged.slice(-2);
  const isSmall = before !== undefined && last !== undefined && last.tokens < least;
  if (isSmall && mayMerge(before, last)) merged.splice(-2, 2, mergeTwo(before, last));
  return merged;
}

const SPAN_TOKENS = 64;

function mayMerge(one: AllowedSpan, other: AllowedSpan): boolean {
  const isWritten = one.text !== undefined || other.text !== undefined;
  return one.concepts === other.concepts && one.isDropped === other.isDropped && !isWritten;
}

/** Returns the cap on a summary that covers this many tokens. */
export function summaryCap(
  tokens: number,
  maxTokens: number | undefined,
  minSavedShare: number,
): number {
  const usual = Math.min(4000, Math.max(200, Math.floor(tokens / 5)));
  return Math.min(maxTokens ?? usual, Math.floor((1 - minSavedShare) * tokens));
}

function mergeTwo(one: AllowedSpan, other: AllowedSpan): AllowedSpan {
  const previous = [one.previous, other.previous].filter((text) => text !== undefined);
  return {
    ...one,
    covered: [...one.covered, ...other.covered],
    read: [...one.read, ...other.read],
    tokens: one.tokens + other.tokens,
    ...(previous.length > 0 && { previous: previous.join("\n") }),
  };
}
