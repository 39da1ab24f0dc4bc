import type {
  AgentRole,
  AsyncTokenCounter,
  BeforeStore,
  Compressor,
  EntrySources,
  HistoryEntry,
  HistoryFilter,
  HistoryStore,
  ModelWindow,
  Reducer,
  TokenCounter,
} from "@agent-history/core";

import type { Scope } from "./history-manager.ts";

/** Options of {@link createHistoryManager}. */
export interface HistoryManagerOptions extends EntrySources {
  /** Stores the thread. An existing thread is resumed. */
  readonly store: HistoryStore;
  readonly threadId: string;
  /** The model's context window in tokens: one for all, or one for each role. */
  readonly window: ModelWindow | RoleWindows;
  /** Counts tokens: prompts, and what is stored with entries. */
  readonly counter: TokenCounter | AsyncTokenCounter;
  /**
   * Trims a prompt to its context window, uploads to their share of it. Default: `createReducer({ counter })` of `@agent-history/reducer`. One of your own
   * needs the same counter.
   */
  readonly reducer?: Reducer | undefined;
  /** Decides what each role sees; a role without a filter throws `INVALID_OPTION`. Default: everything for all. */
  readonly filters?: RoleFilters | undefined;
  /** Removes text from earlier answers that the model did not write, before each call. Default: none. */
  readonly cleaner?: AnswerCleaner | undefined;
  /** Writes the summaries of {@link HistoryManager.compress}. Without one, `compress` throws `INVALID_OPTION`. */
  readonly compressor?: Compressor | undefined;
  /**
   * The share of a prompt's tokens for turns before the newest, from 0 to 1; the newest of them that fit are shown, whole. Older
   * turns are not in the plan. Instructions, pins, memories and summaries do not count. Default 1: as much as fits.
   */
  readonly maxHistoryShare?: number | undefined;
  /** The initial scope. Default: none. */
  readonly scope?: Scope | undefined;
  /** How often a write is retried, with the same ids, after its answer was lost, before `OUTCOME_UNKNOWN` is thrown. Default 2. */
  readonly maxRetries?: number | undefined;
  /** Changes entries before they are numbered, counted, stored or shown, for example to remove secrets. */
  readonly beforeStore?: BeforeStore | undefined;
  /** Called after entries are persisted. Must not throw. */
  readonly onEntries?: ((entries: readonly HistoryEntry[]) => void) | undefined;
}

/** A window for each role, and one for calls without a role. */
export interface RoleWindows {
  readonly orchestrator: ModelWindow;
  readonly manager: ModelWindow;
  readonly worker: ModelWindow;
  /** Default: the orchestrator's. */
  readonly default?: ModelWindow;
}

/** A filter for each role, and one for calls without a role. */
export type RoleFilters = { readonly [Role in AgentRole | "default"]?: HistoryFilter };

/** Removes text from answers that the model did not write; see `historyCleaner` of `@agent-history/postprocess`. */
export interface AnswerCleaner {
  clean(
    entries: readonly HistoryEntry[],
    signal?: AbortSignal,
  ): CleanedAnswers | Promise<CleanedAnswers>;
}

/** The entries after cleaning. */
export interface CleanedAnswers {
  readonly entries: readonly HistoryEntry[];
}
