import type { Concept } from "./concept.ts";
import type { HistoryEntry } from "./history-entry.ts";
import type { HistoryView } from "./history-view.ts";
import type { SummaryModel } from "./summary-model.ts";

/** What is covered as one: an exchange, a user message with its uploads, or another entry. */
export interface CompressionItem {
  /** An action and what answers it, a user message and its uploads, or one entry. */
  readonly entries: readonly HistoryEntry[];
  readonly tokens: number;
  /**
   * Whether a summary may stand for it. What always survives may not: system messages, pins, memories (unless told
   * otherwise), the newest user message, the newest task, what still runs, the verbatim tail, a provider's own summary.
   */
  readonly isCoverable: boolean;
  /** Is the summary of an earlier compaction. Where it is covered it is extended, never summarized again. */
  readonly isEarlierSummary: boolean;
}

/** What a strategy sees. */
export interface CompressionSituation {
  readonly view: HistoryView;
  /** The view's own entries as it shows them, oldest first. */
  readonly items: readonly CompressionItem[];
  /** Asks the model that writes summaries, with its timeout and attempts. Missing where there is none. */
  readonly model?: SummaryModel;
  readonly signal?: AbortSignal;
}

/** What becomes one summary. */
export interface CompressionSpan {
  /** What the summary stands for. What is not coverable is passed over, whatever a strategy says. */
  readonly covers: readonly CompressionItem[];
  /** What the summarizer reads of it, beside earlier summaries. Default: all of `covers`. The rest is left out of the summary. */
  readonly reads?: readonly CompressionItem[];
  /** Asks for facts of these concepts, instead of prose. */
  readonly concepts?: readonly Concept[];
  /** What the summary says, where the strategy has written it itself. Not empty. */
  readonly text?: string;
  /** Drops what is covered without a summary: one line says how many entries were dropped. Default `false`. */
  readonly isDropped?: boolean;
}

/** What a strategy wants. */
export interface CompressionProposal {
  /** Stands in the summaries as what made them. Default `custom`. */
  readonly strategy?: string;
  /** Each becomes a summary of its own, in order; none compresses nothing. An item is covered once, by the first that names it. */
  readonly spans: readonly CompressionSpan[];
}

/**
 * Says which items of a view become a summary, or several, or are dropped. Any function of this shape will do; it decides nothing
 * about what is protected, and changes nothing. It may wait, and ask the model.
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
