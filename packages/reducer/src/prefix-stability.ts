import type { HistoryEntry, TokenCounter } from "@agent-history/core";

/** How much of a prompt a provider has already seen. */
export interface PrefixStability {
  /** The number of identical entries at the beginning. */
  readonly entries: number;
  /** Their tokens. */
  readonly tokens: number;
  /** Their share of the next prompt's tokens, from 0 to 1. An empty prompt has 1. */
  readonly share: number;
}

/**
 * Computes how much of the next prompt is identical to the previous one. Providers bill a cached prefix at a fraction of the price.
 *
 * @param previous - The entries that the previous call sent.
 * @param next - The entries that the next call sends.
 *
 * @example
 * ```ts
 * import { assistantMessage, userMessage } from "@agent-history/core";
 * import { prefixStability } from "@agent-history/reducer";
 *
 * const first = [userMessage({ id: "u1", content: "Hello" })];
 * const second = [...first, assistantMessage({ id: "a1", content: "Hi" })];
 * prefixStability(first, second, { countEntry: () => 10 });
 * // => { entries: 1, tokens: 10, share: 0.5 }
 * ```
 */
export function prefixStability(
  previous: readonly HistoryEntry[],
  next: readonly HistoryEntry[],
  counter: Pick<TokenCounter, "countEntry">,
): PrefixStability {
  const firstChange = next.findIndex((entry, index) => !isSame(entry, previous[index]));
  const entries = firstChange === -1 ? next.length : firstChange;
  const count = (some: readonly HistoryEntry[]): number =>
    some.reduce((sum, entry) => sum + counter.countEntry(entry), 0);
  const tokens = count(next.slice(0, entries));
  const total = tokens + count(next.slice(entries));
  return { entries, tokens, share: total === 0 ? 1 : tokens / total };
}

function isSame(one: HistoryEntry, other: HistoryEntry | undefined): boolean {
  return one === other || JSON.stringify(one) === JSON.stringify(other);
}
