import type {
  CompressionStrategy,
  HistoryView,
  JsonValue,
  SummaryModel,
  TokenCounter,
} from "@agent-history/core";

import type { CompressionTrigger } from "./compression-trigger.ts";
import type { ModelOptions } from "./model-options.ts";
import type { Summarizer } from "./summarizer.ts";

/** Options of {@link compressHistory}: what to summarize, what to keep, and who writes the summary. */
export interface CompressOptions extends ModelOptions {
  /** Counts entries and texts. All token numbers below are its tokens. */
  readonly counter: TokenCounter;
  /** What becomes a summary. Default `wholeHistory`. */
  readonly strategy?: CompressionStrategy | undefined;
  /** Whose history: the thread, the conversation, or one agent's trace. Default `thread`. */
  readonly view?: HistoryView | undefined;
  /** A model that writes the summaries. Default: none; the `summarizer` is used. */
  readonly model?: SummaryModel | undefined;
  /** Writes the summaries if there is no model. Default: they are written from their parts, offline and deterministically. */
  readonly summarizer?: Summarizer | undefined;
  /** Used if the model or the summarizer failed. Default: none; the outcome is `failed`. */
  readonly fallback?: Summarizer | undefined;
  /** Decides whether to compress now. Default: always. */
  readonly trigger?: CompressionTrigger | undefined;
  /** The cap on one summary entry, in tokens. Default: a fifth of the covered tokens, between 200 and 4000. */
  readonly maxTokens?: number | undefined;
  /** The share of the covered tokens that a summary must save, above 0 and below 1. Default 0.2. */
  readonly minSavedShare?: number | undefined;
  /** The newest entries, up to this many tokens, stay word for word. Default 1000; 0 for {@link replaceHistoryWithSummary}. */
  readonly tailTokens?: number | undefined;
  /** Whether `memory` entries stay word for word. Default `true`. */
  readonly preserveMemory?: boolean | undefined;
  /** Makes the summaries system messages. Default: they have the trust of the least trusted entry they cover, and are rendered as user messages. */
  readonly trust?: "system" | undefined;
  /** The `state` of this view's last outcome. Default: none. */
  readonly state?: JsonValue | undefined;
  /** After this many consecutive failures nothing is tried until the history has grown; from 1. Default 3. */
  readonly maxFailures?: number | undefined;
  /** The share of its tokens by which a view must grow before another attempt after a failure or `not-beneficial`, from 0. Default 0.1. */
  readonly minGrowthShare?: number | undefined;
  /** Called after each piece that was read. Exceptions that it throws are ignored. */
  readonly onProgress?: ((progress: CompressionProgress) => void) | undefined;
  readonly newId?: (() => string) | undefined;
  readonly now?: (() => number) | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** The progress of a compression. */
export interface CompressionProgress {
  /** Pieces of the current summary that were read. */
  readonly piecesDone: number;
  readonly pieces: number;
  /** Finished summaries. */
  readonly summariesDone: number;
  readonly summaries: number;
}
