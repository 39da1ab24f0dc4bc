import type {
  CompressionStrategy,
  HistoryView,
  JsonValue,
  SummaryModel,
  TokenCounter,
} from "@agent-history/core";

import type { CompressionTrigger } from "./compression-trigger.ts";
import type { Summarizer } from "./extractive/summarizer.ts";
import type { ModelOptions } from "./model-options.ts";

/** What to compress, what to keep, and who writes the summary. */
export interface CompressOptions extends ModelOptions {
  /** Counts entries and texts. Every number of tokens below is in its tokens. */
  readonly counter: TokenCounter;
  /** What becomes a summary. Default `wholeHistory`. */
  readonly strategy?: CompressionStrategy;
  /** Whose history: the thread, the conversation, or one agent's trace. Default `thread`. */
  readonly view?: HistoryView;
  /** A model that writes the summaries. Default: none; `summarizer` writes. */
  readonly model?: SummaryModel;
  /** Writes the summaries where there is no model. Default: the extractive one, which needs none. */
  readonly summarizer?: Summarizer;
  /** Writes where the model or the summarizer failed. Default: none; the outcome is `failed`. */
  readonly fallback?: Summarizer;
  /** Says whether it is time. Default: always. */
  readonly trigger?: CompressionTrigger;
  /** The cap on one summary entry. Default: a fifth of what it covers, from 200 to 4000. */
  readonly maxTokens?: number;
  /** What a summary must save of what it covers to be worth it, above 0 and below 1. Default 0.2. */
  readonly minSavedShare?: number;
  /** The newest entries of at most so many tokens stay word for word. Default 1000; 0 for {@link replaceHistoryWithSummary}. */
  readonly tailTokens?: number;
  /** Whether `memory` entries stay word for word. Default `true`. */
  readonly preserveMemory?: boolean;
  /** Makes the summaries system messages. Default: they are as trusted as the least trusted of what they cover, and read as a user's. */
  readonly trust?: "system";
  /** The `state` of this view's last outcome. Default: none. */
  readonly state?: JsonValue;
  /** After so many failures in a row nothing is tried until the history has grown; from 1. Default 3. */
  readonly maxFailures?: number;
  /** By which share of its tokens a view must grow before a try that failed or did not pay is made again, from 0. Default 0.1. */
  readonly minGrowthShare?: number;
  /** Is told after each piece that was read. What it throws is ignored. */
  readonly onProgress?: (progress: CompressionProgress) => void;
  readonly newId?: () => string;
  readonly now?: () => number;
  readonly signal?: AbortSignal;
}

/** How far a compression is. */
export interface CompressionProgress {
  /** Pieces of the present summary that were read. */
  readonly piecesDone: number;
  readonly pieces: number;
  /** Summaries that are done. */
  readonly summariesDone: number;
  readonly summaries: number;
}
