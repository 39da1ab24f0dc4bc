import type { HistoryEntry, SummaryEntry } from "./history-entry.ts";
import type { HistoryView } from "./history-view.ts";

/** A summary entry; its `view` and `covers` say what it replaces. The caller applies, stores or drops it. */
export interface Compaction {
  readonly summary: SummaryEntry & { readonly view: HistoryView };
  /** Tokens of what is covered. */
  readonly tokensBefore: number;
  /** Tokens of the summary. */
  readonly tokensAfter: number;
  /** How many entries are covered. If given, the compaction is invalid for a log whose runs have more or fewer. */
  readonly entryCount?: number;
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

/** A topic to look for, for the strategy that retrieves facts. */
export interface Concept {
  /** Names it in the summary, for example `user_preferences`. Not empty, each once. */
  readonly keyword: string;
  /** What to look for, as a sentence for the model. Not empty. */
  readonly description: string;
  /** `single`: only the newest answer counts. `multiple`: all of them do. */
  readonly factType: "single" | "multiple";
}

/** A request to a model that summarizes: its own instructions, the history as escaped data, no tools. */
export interface SummaryRequest {
  readonly instructions: string;
  /** One user message. What it quotes of a history is data (L14). */
  readonly prompt: string;
  /** The cap on the answer, in tokens. */
  readonly maxOutputTokens: number;
  readonly signal?: AbortSignal;
}

/**
 * Answers a summary request with text.
 *
 * Laws: it keeps no state between calls, calls no tools, and rejects when `signal` fires. An empty answer, a refusal or
 * an answer over the cap is a failure, which the caller detects.
 */
export type SummaryModel = (request: SummaryRequest) => Promise<string>;
