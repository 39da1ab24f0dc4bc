import type {
  AsyncTokenCounter,
  FilterContext,
  HistoryFilter,
  HistoryStore,
  RelevanceScorer,
  TokenCounter,
} from "@agent-history/core";

/** Limits and ranking of the recall tools. */
export interface RecallToolLimits {
  /** The most tokens of one answer. Default 1,500. */
  readonly maxTokens?: number | undefined;
  /** Ranks originals for `search`. Default: by the words of the query, rare ones first. */
  readonly scorer?: RelevanceScorer | undefined;
  /** Prefix of the tools' names. Default `history`: `history_search`, `history_read`, `history_expand`. */
  readonly prefix?: string | undefined;
}

/** The thread that the tools read, and their counter. */
export interface RecallToolOptions extends RecallToolLimits {
  readonly store: HistoryStore;
  readonly threadId: string;
  readonly counter: Pick<TokenCounter | AsyncTokenCounter, "countText">;
  /** Decides what may be read: the filter that builds the agent's prompts. Default: the whole thread. */
  readonly filter?: HistoryFilter | undefined;
  /** The agent and its scope, for `filter`. Default: none. */
  readonly context?: FilterContext | undefined;
}
