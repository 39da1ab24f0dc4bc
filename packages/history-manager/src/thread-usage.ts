import type { EntryTypeName } from "@agent-history/core";

/** Usage of a thread: tokens of its log by type, agent and turn. Plain JSON. */
export interface ThreadUsage extends Usage {
  /** In order of first occurrence. */
  readonly byType: readonly (Usage & { readonly type: EntryTypeName })[];
  /** Entries without an agent have no `agentId`. */
  readonly byAgent: readonly (Usage & { readonly agentId?: string })[];
  /** In the order of the turns. A turn without an id has that of its first entry. */
  readonly byTurn: readonly (Usage & { readonly turnId: string })[];
  /** Usage reported by the provider and passed to `addUsage`: in total and by agent. */
  readonly provider?: ProviderTotals & {
    readonly byAgent: readonly (ProviderTotals & { readonly agentId?: string })[];
  };
}

/** How many entries, and their tokens. */
export interface Usage {
  readonly entries: number;
  readonly tokens: number;
}

/** A provider's usage of one call, in tokens. Omit what it does not report. */
export interface ProviderUsage {
  /** The whole prompt, cached tokens included. */
  readonly inputTokens?: number;
  readonly outputTokens?: number;
  /** The part of the input that was read from the provider's cache. */
  readonly cachedInputTokens?: number;
  /** The part of the input that was written to the cache. */
  readonly cacheWriteTokens?: number;
  /** The part of the output that was reasoning. */
  readonly reasoningTokens?: number;
}

/** The sums over calls. */
export interface ProviderTotals extends Required<ProviderUsage> {
  readonly calls: number;
}
