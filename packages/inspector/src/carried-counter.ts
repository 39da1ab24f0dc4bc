import type { HistoryEntry, TokenCounter } from "@agent-history/core";

import type { CallColumn, InspectorData } from "./inspector-data.ts";
import { lengthCounter } from "./length-counter.ts";

/**
 * Creates the counter of what-if: an entry of the data counts what its row carries, the request around it what the call had. What a fit shortens is estimated with
 * `estimate`. It knows entries by identity: fit those of `data.entries`.
 *
 * @param estimate - Counts texts that no row carries. Default: {@link lengthCounter}.
 */
export function carriedCounter(
  data: Pick<InspectorData, "entries" | "tokens" | "counterId">,
  call: Pick<CallColumn, "request">,
  estimate: TokenCounter = lengthCounter(),
): TokenCounter {
  const carried = new Map<HistoryEntry, number>();
  data.entries.forEach((entry, row) => carried.set(entry, data.tokens[row] ?? 0));
  for (const [row, tokens] of call.request?.counts ?? []) {
    const entry = data.entries[row];
    if (entry !== undefined) carried.set(entry, tokens);
  }
  return {
    id: `carried:${data.counterId}:${estimate.id}`,
    countText: (text, limit) => estimate.countText(text, limit),
    countEntry: (entry, viewer) => carried.get(entry) ?? estimate.countEntry(entry, viewer),
    countMedia: (entry) => estimate.countMedia?.(entry) ?? [],
    countRequest: () => call.request?.requestTokens ?? 0,
  };
}
