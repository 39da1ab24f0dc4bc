import type {
  AsyncTokenCounter,
  ReductionRequest,
  RelevanceScorer,
  TokenCounter,
} from "@agent-history/core";

import type { Recall, RecallingScorer } from "./recall.ts";
import type { ReductionStep, StepName } from "./reduction-step.ts";

/** Options of a fit: context window, counter, steps. */
export interface FitOptions extends ReductionRequest {
  readonly counter: TokenCounter | AsyncTokenCounter;
  /** Custom steps, each before a built-in one. Default: none. */
  readonly steps?: readonly ReductionStep[] | undefined;
  /** Built-in steps to leave out. Default: none. */
  readonly without?: readonly StepName[] | undefined;
  /** Ranks old messages by relevance to the question. Default: none; whole turns are dropped, oldest first. */
  readonly scorer?: (RelevanceScorer & Partial<Pick<RecallingScorer, "recall">>) | undefined;
  /**
   * How relevant old entries return to the prompt of an incremental fit. `block` quotes them just before the question and leaves the prefix unchanged, if
   * the scorer includes recall blocks, as `lexicalScorer` and `embeddingScorer` do; with other scorers, each cut ranks entries, and its choice is kept until the next cut.
   * Pass `recallBlocks()` to use recall blocks with any scorer. `off` never scores. Default `block`.
   */
  readonly recall?: Recall | "block" | "off" | undefined;
  /**
   * The maximum share of the budget for one tool result, above 0 and at most 1. A larger result is truncated before it is first sent,
   * because a later edit invalidates the provider's cached prefix. Default 0.5.
   */
  readonly maxResultShare?: number | undefined;
  /**
   * The share of the budget, from 0 to 1, that the first request of the history (e.g. an agent's task) keeps once its turn is dropped. `0` drops it
   * with its turn. Default 0.1; with a scorer 0.
   */
  readonly firstRequestShare?: number | undefined;
  /** The share of the budget for uploads while room is short. */
  readonly uploads?: UploadShares | undefined;
  /**
   * With a previous plan: the share of the budget, above 0 up to 1, to which a cut reduces the prompt once the window is full.
   * Lower means fewer cuts and a longer-lived prefix. Default 0.6; 0.3 if `window.reasoning` binds reasoning to its prefix, because each
   * cut invalidates earlier reasoning; 0.25 for a new question if old entries are quoted.
   */
  readonly lowWatermark?: number | undefined;
}

/** Shares of the budget for uploads, with 0 ≤ floor ≤ ceiling ≤ 1. */
export interface UploadShares {
  /** The share that uploads that are kept have together, less what a cut at a line end loses; older messages are dropped for it. Default 0.2. */
  readonly floor?: number | undefined;
  /** The maximum for uploads while room is short. Default 0.6. */
  readonly ceiling?: number | undefined;
}
