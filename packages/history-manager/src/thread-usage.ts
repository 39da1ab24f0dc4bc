import type { EntryTypeName } from "@agent-history/core";

/** What a thread costs: its tokens, as they stand in the log, by type, by agent and by turn. Plain JSON. */
export interface ThreadUsage extends Usage {
  /** In the order in which the types first come. */
  readonly byType: readonly (Usage & { readonly type: EntryTypeName })[];
  /** What nobody wrote has no `agentId`. */
  readonly byAgent: readonly (Usage & { readonly agentId?: string })[];
  /** In the order of the turns. A turn without an id has that of its first entry. */
  readonly byTurn: readonly (Usage & { readonly turnId: string })[];
  /** What the provider reported, where it was passed in by `addUsage`: all calls together, and by agent. */
  readonly provider?: ProviderTotals & {
    readonly byAgent: readonly (ProviderTotals & { readonly agentId?: string })[];
  };
}

/** How many entries, and their tokens. */
export interface Usage {
  readonly entries: number;
  readonly tokens: number;
}

/** What a provider reports of one call, in tokens; what it does not report is left out. */
export interface ProviderUsage {
  /** Of the whole prompt, cached tokens included. */
  readonly inputTokens?: number;
  readonly outputTokens?: number;
  /** Of the input, what was read from the provider's cache. */
  readonly cachedInputTokens?: number;
  /** Of the input, what was written into it. */
  readonly cacheWriteTokens?: number;
  /** Of the output, what was reasoning. */
  readonly reasoningTokens?: number;
}

/** The sums over calls. */
export interface ProviderTotals extends Required<ProviderUsage> {
  readonly calls: number;
}
