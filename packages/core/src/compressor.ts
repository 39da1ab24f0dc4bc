import type { SummaryEntry } from "./derived-entries.ts";
import type { HistoryEntry } from "./history-entry.ts";
import type { HistoryView } from "./history-view.ts";

/** A summary entry and, by its `view` and `covers`, what it stands for. The caller applies, stores or drops it. */
export interface Compaction {
  readonly summary: SummaryEntry & { readonly view: HistoryView };
  /** Tokens of what is covered. */
  readonly tokensBefore: number;
  /** Tokens of the summary. */
  readonly tokensAfter: number;
}

/** How a compression ended. A failure leaves everything as it was. */
export type CompressionOutcome =
  | { readonly outcome: "compressed"; readonly compaction: Compaction }
  | { readonly outcome: "not-needed"; readonly reason: string }
  | { readonly outcome: "not-beneficial"; readonly reason: string }
  | { readonly outcome: "failed"; readonly reason: string; readonly error: unknown };

/**
 * Makes one summary for old entries of a view.
 *
 * Laws: pure with regard to history (L8); system messages, pinned entries, the newest user message and the trailing
 * exchange are never covered, and no exchange is covered in part (L1, L3); what it does not shorten it does not commit
 * (L12); a summary gains no authority (L14).
 */
export interface Compressor {
  readonly name: string;
  compress(
    entries: readonly HistoryEntry[],
    options: { readonly view: HistoryView; readonly signal?: AbortSignal },
  ): Promise<CompressionOutcome>;
}
