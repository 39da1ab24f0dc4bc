import type {
  AgentRole,
  AsyncTokenCounter,
  Compressor,
  EntrySources,
  HistoryEntry,
  HistoryFilter,
  HistoryStore,
  ModelWindow,
  Reducer,
  TokenCounter,
} from "@agent-history/core";

import type { Place } from "./place.ts";

/** What {@link createHistoryManager} is made of: a store, a reducer, and what else the loop needs. */
export interface HistoryManagerOptions extends EntrySources {
  /** Keeps the thread. A thread that it holds already is gone on with. */
  readonly store: HistoryStore;
  readonly threadId: string;
  /** Makes a prompt fit its window. */
  readonly reducer: Reducer;
  /** What the model can take, in tokens: one window for all, or one for each role. */
  readonly window: ModelWindow | RoleWindows;
  /** Counts tokens for {@link HistoryManager.usage}, for the share of uploads, and to keep counts beside entries. Give the reducer the same. */
  readonly counter: TokenCounter | AsyncTokenCounter;
  /** Decides what each role sees. Default: a call without a role sees everything, a call with one is refused. */
  readonly filters?: RoleFilters;
  /** Takes out of answers what the model did not write, before each call. Default: nothing. */
  readonly cleaner?: AnswerCleaner;
  /** Makes the summaries of {@link HistoryManager.compress}. Without one, `compress` is refused. */
  readonly compressor?: Compressor;
  /** How much of a window uploads may take. */
  readonly uploads?: UploadOptions;
  /**
   * The share of a prompt's tokens that the turns before the newest may have, from 0 to 1; the last of them that fit are shown, whole. What
   * is beyond is not in the prompt's plan. Instructions, pins, memories and summaries are not counted. Default 1: as much as fits.
   */
  readonly maxHistoryShare?: number;
  /** Where the loop stands from the beginning. Default: nowhere. */
  readonly place?: Place;
  /** How often a write whose answer was lost is sent again, by the same ids, before `OUTCOME_UNKNOWN` is thrown. Default 2. */
  readonly maxRetries?: number;
  /** Told of entries, once they are kept. Must not throw. */
  readonly onEntries?: (entries: readonly HistoryEntry[]) => void;
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

/** Takes out of answers what the model did not write; `historyCleaner` of `@agent-history/postprocess` makes one. */
export interface AnswerCleaner {
  clean(
    entries: readonly HistoryEntry[],
    signal?: AbortSignal,
  ): CleanedAnswers | Promise<CleanedAnswers>;
}

/** What a cleaner left. */
export interface CleanedAnswers {
  readonly entries: readonly HistoryEntry[];
}

/** How much of a window uploads may take. */
export interface UploadOptions {
  /**
   * The share of the prompt (the window without output reserve and margin) that all uploads of a call may have together, from 0 to 1. The
   * newest are kept; one that passes the share is cut short, older ones become a line. Default 0.6.
   */
  readonly maxShare?: number;
}
