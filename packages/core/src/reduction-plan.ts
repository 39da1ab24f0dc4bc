import type { SummaryEntry } from "./derived-entries.ts";
import type { HistoryView } from "./history-view.ts";

/** What a model can take, in tokens. */
export interface ModelWindow {
  /** Everything: prompt and answer. */
  readonly contextTokens: number;
  /** Kept free for the answer. Default 0. */
  readonly outputReserveTokens?: number;
  /** Kept free for what the counter may miss. Default 0. */
  readonly marginTokens?: number;
}

/**
 * What a reduction decided, as plain JSON: the explanation, the dry run and what makes the next call cheap.
 *
 * Laws: each entry that went in is covered by exactly one decision, and the tokens of the decisions add up (L9).
 */
export interface ReductionPlan {
  readonly counterId: string;
  readonly window: ModelWindow;
  readonly view: HistoryView;
  /** In the order of the entries. */
  readonly decisions: readonly Decision[];
  /** Tokens of the request apart from its entries: primer and tool schemas. */
  readonly requestTokens: number;
  /** Tokens of the whole request as planned. */
  readonly totalTokens: number;
}

/** One decision about a run of neighbouring entries: one action, one step, one reason. */
export interface Decision {
  /** Id of the first entry of the run. */
  readonly from: string;
  /** Id of the last. */
  readonly to: string;
  readonly entryCount: number;
  /** What to do, with what it takes: applying a plan calls no model, scorer or counter. */
  readonly action: DecisionAction;
  /** The step that proposed it. */
  readonly step: string;
  /** A sentence for a person. */
  readonly reason: string;
  readonly tokensBefore: number;
  readonly tokensAfter: number;
  /** Set where the run was dropped uncounted, and `tokensBefore` is an estimate. */
  readonly estimated?: true;
}

/** What a decision does to its run. */
export type DecisionAction =
  | { readonly kind: "keep" }
  | { readonly kind: "drop" }
  | { readonly kind: "mend" }
  | { readonly kind: "shrink"; readonly keepHead: number; readonly keepTail: number }
  | { readonly kind: "keep-sources"; readonly numbers: readonly number[] }
  | { readonly kind: "stub"; readonly text: string }
  | { readonly kind: "summarise"; readonly summary: SummaryEntry };
