import type { HistoryEntry, TokenCounter } from "@agent-history/core";

import type { WeighedFact } from "../gate/internal/weigh-facts.ts";

/** What a summary is composed from. */
export interface Composition {
  readonly entries: readonly HistoryEntry[];
  /** Of the entries and of the earlier summary. */
  readonly facts: readonly WeighedFact[];
  /** The earlier summary, or nothing. */
  readonly previous: string;
  readonly maxTokens: number;
  readonly counter: Pick<TokenCounter, "countText">;
  /** What stands beside it: only what is missing there is composed. Default nothing. */
  readonly besides?: string;
}
