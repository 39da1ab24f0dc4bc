import type {
  Compaction,
  CompressionCall,
  CompressionOutcome,
  HistoryView,
} from "@agent-history/core";

/** Outcome of a compression. Unless it is `compressed`, only what `committed` lists was changed. */
export type ViewCompression =
  | CompressionOutcome
  | {
      /** Another process compressed or expanded the view meanwhile: try again. */
      readonly outcome: "conflict";
      readonly reason: string;
      /** The summaries committed before the failure; each is valid by itself. */
      readonly committed: readonly Compaction[];
    };

/** What to compress, and overrides of the compressor's options. */
export interface CompressViewOptions extends Omit<CompressionCall, "view" | "allowsSeveral"> {
  /** Default: the view whose summaries the prompts of the manager's scope show: `thread` without filters, `conversation` for an orchestrator. */
  readonly view?: HistoryView | undefined;
}
