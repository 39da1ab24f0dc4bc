import type { AsyncTokenCounter, TokenCounter } from "@agent-history/core";

type TextCounter = Pick<TokenCounter | AsyncTokenCounter, "countText">;

/** Truncates a text to its longest prefix of at most `maxTokens`, never within a character. */
export async function truncateToTokens(
  text: string,
  maxTokens: number,
  counter: TextCounter,
): Promise<string> {
  const begin = (length: number): string => text.slice(0, characterStart(text, length));
  const within = { size: text.length, render: begin, maxTokens, counter };
  return (await longestWithin(within))?.text ?? "";
}

/** Texts of increasing size, of which the largest that fits is wanted. */
export interface SizedText {
  /** The largest size. */
  readonly size: number;
  /** Returns the text of a size, from 0. Larger sizes are assumed to have more tokens; the returned text was counted. */
  readonly render: (size: number) => string;
  readonly maxTokens: number;
  readonly counter: TextCounter;
}

/** Returns the text of the largest size with at most `maxTokens`, and that size; `undefined` if none fits. */
export async function longestWithin(
  sized: SizedText,
): Promise<{ readonly text: string; readonly size: number } | undefined> {
  const { render, maxTokens, counter } = sized;
  const fits = async (text: string): Promise<boolean> =>
    (await counter.countText(text)) <= maxTokens;
  const whole = render(sized.size);
  if (await fits(whole)) return { text: whole, size: sized.size };
  let best: { readonly text: string; readonly size: number } | undefined;
  let low = 0;
  let high = sized.size - 1;
  while (low <= high) {
    const size = Math.floor((low + high) / 2);
    const text = render(size);
    if (await fits(text)) {
      best = { text, size };
      low = size + 1;
    } else high = size - 1;
  }
  return best;
}

/** The nearest position at or before `index` that does not split a surrogate pair. */
export function characterStart(text: string, index: number): number {
  const entryIndex = Math.min(index, text.length);
  const isLow = isBetween(text.charCodeAt(entryIndex), 0xdc00, 0xdfff);
  const isSplit = isLow && isBetween(text.charCodeAt(entryIndex - 1), 0xd800, 0xdbff);
  return isSplit ? entryIndex - 1 : entryIndex;
}

function isBetween(unit: number, low: number, high: number): boolean {
  return unit >= low && unit <= high;
}
