import type { Concept } from "./concept.ts";
import type { HistoryEntry } from "./history-entry.ts";
import type { HistoryView } from "./history-view.ts";
import type { SummaryModel } from "./summary-model.ts";

/** The unit of compression: an exchange, a user message with its uploads, or another entry. */
export interface CompressionItem {
  /** An action and its results, a user message and its uploads, or one entry. */
  readonly entries: readonly HistoryEntry[];
  readonly tokens: number;
  /**
   * Whether a summary may replace it. False for what always survives: system messages, pins, memories (unless
   * `preserveMemory` is off), the newest user message, the newest task, what still runs, the verbatim tail, a provider's own summary.
   */
  readonly isCoverable: boolean;
  /** Set on the summary of an earlier compaction. If covered, it is extended, never summarized again. */
  readonly isEarlierSummary: boolean;
}

/** Input of a strategy. */
export interface CompressionSituation {
  readonly view: HistoryView;
  /** The entries of the view, oldest first. */
  readonly items: readonly CompressionItem[];
  /** Calls the summary model, with its timeout and retries. Missing without a model. */
  readonly model?: SummaryModel;
  readonly signal?: AbortSignal;
}

/** Input of one summary. */
export interface CompressionSpan {
  /** The items that the summary replaces. Items that are not coverable are ignored. */
  readonly covers: readonly CompressionItem[];
  /** The items that the summarizer reads, beside earlier summaries. Default: all of `covers`. */
  readonly reads?: readonly CompressionItem[];
  /** Requests facts about these concepts instead of prose. */
  readonly concepts?: readonly Concept[];
  /** The text of the summary, if the strategy wrote it itself. Not empty. */
  readonly text?: string;
  /** Drops the covered items without a summary; one line says how many entries were dropped. Default `false`. */
  readonly isDropped?: boolean;
}

/** Output of a strategy. */
export interface CompressionProposal {
  /** Name stored in the summaries. Default `custom`. */
  readonly strategy?: string;
  /** One summary for each span, in order; no spans, no compression. An item that several spans cover belongs to the first. */
  readonly spans: readonly CompressionSpan[];
}

/**
 * Chooses the items of a view that become one summary, become several, or are dropped. Any function of this shape works. It cannot
 * override what is protected, may be async, and may call the model.
 *
 * @example
 * ```ts
 * import type { CompressionStrategy } from "@agent-history/core";
 *
 * // The summary stands for everything, and is made from what an agent found out.
 * const findings: CompressionStrategy = ({ items }) => ({
 *   strategy: "findings",
 *   spans: [
 *     { covers: items, reads: items.filter(({ entries }) => entries[0]?.type === "action") },
 *   ],
 * });
 * findings({ view: "thread", items: [] });
 * // => { strategy: "findings", spans: [{ covers: [], reads: [] }] }
 * ```
 */
export type CompressionStrategy = (
  situation: CompressionSituation,
) => CompressionProposal | Promise<CompressionProposal>;
