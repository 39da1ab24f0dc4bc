import type { CompressionOutcome, HistoryView } from "@agent-history/core";

/** How a compression of a view ended. Where it is not `compressed`, nothing was changed. */
export type ViewCompression =
  | CompressionOutcome
  /** The view was compressed or expanded by another meanwhile: look again. */
  | { readonly outcome: "conflict"; readonly reason: string };

/** What to compress. */
export interface CompressOptions {
  /** Default: the whole thread. */
  readonly view?: HistoryView;
  readonly signal?: AbortSignal;
}
