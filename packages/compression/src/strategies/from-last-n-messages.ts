import { countOption } from "@agent-history/core";
import type { CompressionItem, CompressionStrategy } from "@agent-history/core";

/**
 * Makes one summary of the last `count` messages that may be covered; what is older is covered by it too, and left out of it. An
 * exchange is read whole, and counts as its call and its results. An earlier summary is extended.
 *
 * @param count - From 0 (none: nothing is compressed) to `Infinity`.
 * @throws `HistoryError` with code `INVALID_OPTION` if it is not a non-negative integer or `Infinity`.
 */
export function fromLastNMessages(count: number): CompressionStrategy {
  const wanted = countOption("count", count);
  return ({ items }) => ({
    strategy: "from-last-n-messages",
    spans: [{ covers: items, reads: lastOf(items, wanted) }],
  });
}

function lastOf(items: readonly CompressionItem[], count: number): readonly CompressionItem[] {
  let left = count;
  return items
    .toReversed()
    .filter(({ entries, isCoverable, isEarlierSummary }) => {
      const isRead = isCoverable && !isEarlierSummary && left > 0;
      if (isRead) left -= entries.length;
      return isRead;
    })
    .toReversed();
}
