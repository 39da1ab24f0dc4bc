import { HistoryError } from "@agent-history/core";
import type { CompressionStrategy } from "@agent-history/core";

/**
 * Makes one summary of what was written at a time or later; what is older is covered by it too, and left out of it. An exchange
 * is as old as its call. An earlier summary is extended. Where nothing is that new, nothing is compressed.
 *
 * @param sinceMs - In epoch milliseconds.
 * @throws `HistoryError` with code `INVALID_OPTION` if it is no finite number.
 */
export function fromTimestamp(sinceMs: number): CompressionStrategy {
  if (!Number.isFinite(sinceMs)) {
    throw new HistoryError("Expected `sinceMs` to be a time in epoch milliseconds.", {
      code: "INVALID_OPTION",
      details: { option: "sinceMs" },
    });
  }
  return ({ items }) => ({
    strategy: "from-timestamp",
    spans: [
      {
        covers: items,
        reads: items.filter(({ entries }) => (entries[0]?.createdAtMs ?? 0) >= sinceMs),
      },
    ],
  });
}
