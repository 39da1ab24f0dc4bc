import type { CompressionStrategy } from "./compression-strategy.ts";
import type { SummaryEntry } from "./derived-entries.ts";
import type { HistoryEntry } from "./history-entry.ts";
import type { HistoryView } from "./history-view.ts";
import type { SummaryModel } from "./summary-model.ts";

/** A summary entry; its `view` and `covers` say what it replaces. The caller applies, stores or drops it. */
export interface Compaction {
  readonly summary: SummaryEntry & { readonly view: HistoryView };
  /** Tokens of what is covered. */
  readonly tokensBefore: number;
  /** Tokens of the summary. */
  readonly tokensAfter: number;
}

/** How a compression ended. A failure leaves everything as it was. */
export type CompressionOutcome =
  | {
      readonly outcome: "compressed";
      readonly compaction: Compaction;
      /** All of them, if the call allowed several; `compaction` is the first. Each is complete by itself. */
      readonly compactions?: readonly Compaction[];
    }
  | { readonly outcome: "not-needed"; readonly reason: string }
  | { readonly outcome: "not-beneficial"; readonly reason: string }
  | { readonly outcome: "failed"; readonly reason: string; readonly error: unknown };

/** What to compress, and overrides of the compressor's options. */
export interface CompressionCall {
  readonly view: HistoryView;
  /** Chooses what becomes a summary. */
  readonly strategy?: CompressionStrategy | undefined;
  /** Writes the summaries. */
  readonly model?: SummaryModel | undefined;
  /** The newest entries of at most this many tokens stay word for word. */
  readonly tailTokens?: number | undefined;
  /** Whether `memory` entries stay word for word. */
  readonly preserveMemory?: boolean | undefined;
  /** Allows several summaries if the strategy makes several. Default `false`: they are joined into one. */
  readonly allowsSeveral?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Summarizes old entries of a view.
 *
 * Laws: pure with regard to history (L8); system messages, pinned entries, the newest user message and the trailing
 * exchange are never covered, and no exchange is covered in part (L1, L3); a summary that saves nothing is not committed
 * (L12); a summary gains no authority (L14).
 */
export interface Compressor {
  readonly name: string;
  compress(entries: readonly HistoryEntry[], call: CompressionCall): Promise<CompressionOutcome>;
}
