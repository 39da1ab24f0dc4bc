import type { HistoryEntry, HistoryView } from "@agent-history/core";

import type { Concept } from "./concept.ts";

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
  /** Is the summary of an earlier compaction. Where it is covered it is extended, never summarised again. */
  readonly isEarlierSummary: boolean;
}

/** What a strategy sees. */
export interface CompressionSituation {
  readonly view: HistoryView;
  /** The view's own entries as it shows them, oldest first. */
  readonly items: readonly CompressionItem[];
}

/** What becomes one summary. */
export interface CompressionSpan {
  /** What the summary stands for. What is not coverable is passed over, whatever a strategy says. */
  readonly covers: readonly CompressionItem[];
  /** What the summariser reads of it, beside earlier summaries. Default: all of `covers`. The rest is left out of the summary. */
  readonly reads?: readonly CompressionItem[];
  /** Asks for facts of these concepts, instead of prose. */
  readonly concepts?: readonly Concept[];
}

/** What a strategy wants. */
export interface CompressionProposal {
  /** Stands in the summaries as what made them. Default `custom`. */
  readonly strategy?: string;
  /** Each becomes a summary of its own, in order; none compresses nothing. An item is covered once, by the first that names it. */
  readonly spans: readonly CompressionSpan[];
}

/**
 * Says which items of a view become a summary, or several. Any function of this shape will do; it decides nothing about what
 * is protected, calls no model and changes nothing.
 *
 * @example
 * ```ts
 * import type { CompressionStrategy } from "@agent-history/compression";
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
export type CompressionStrategy = (situation: CompressionSituation) => CompressionProposal;
