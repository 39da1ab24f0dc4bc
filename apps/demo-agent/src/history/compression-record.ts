import type { HistoryView, SummaryEntry } from "@agent-history/core";

/** A summary that was put over old entries of a view. */
export interface CompressionRecord {
  readonly view: HistoryView;
  readonly summary: SummaryEntry;
  /** Tokens of what it covers. */
  readonly tokensBefore: number;
  /** Its own tokens. */
  readonly tokensAfter: number;
}
