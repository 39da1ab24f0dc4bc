import type {
  Compaction,
  CompressionCall,
  CompressionOutcome,
  HistoryView,
} from "@agent-history/core";

/** How a compression of a view ended. Where it is not `compressed`, nothing was changed but what `committed` says. */
export type ViewCompression =
  | CompressionOutcome
  | {
      /** The view was compressed or expanded by another meanwhile: look again. */
      readonly outcome: "conflict";
      readonly reason: string;
      /** Of several summaries those that were kept before: each holds by itself. */
      readonly committed: readonly Compaction[];
    };

/** What to compress, and what is to be otherwise than the compressor has it. */
export interface CompressViewOptions extends Omit<CompressionCall, "view" | "allowsSeveral"> {
  /** Default: the view whose summaries the prompts of the manager's scope show: `thread` without filters, `conversation` for an orchestrator. */
  readonly view?: HistoryView | undefined;
}
