import type {
  AsyncTokenCounter,
  ReductionRequest,
  RelevanceScorer,
  TokenCounter,
} from "@agent-history/core";

import type { Recall, RecallingScorer } from "./recall.ts";
import type { ReductionStep } from "./reduction-step.ts";

/** What to fit into, what to count with, and how to make room. */
export interface FitOptions extends ReductionRequest {
  readonly counter: TokenCounter | AsyncTokenCounter;
  /** Ways to make room, in the order they are tried. Default {@link defaultSteps}. */
  readonly steps?: readonly ReductionStep[];
  /** Scores old messages by what they help to answer the question. Default: none; whole turns go, oldest first. */
  readonly scorer?: RelevanceScorer & Partial<Pick<RecallingScorer, "recall">>;
  /**
   * How old entries that help to answer the question come back into a prompt that goes on from `previousPlan`: `block` quotes them just before
   * the question and leaves the prefix unchanged; `on-cut` asks the scorer when a cut is made, and its choice holds until the next; `every-turn`
   * asks at each call, and costs the provider's cached prefix; `off` never asks. Default `block`, by what the scorer brings, as those of this
   * package that read the question do; with a scorer that brings nothing it is `on-cut`. A `recallBlocks()` is a block by any scorer.
   */
  readonly recall?: Recall | "block" | "on-cut" | "every-turn" | "off";
  /**
   * The share of the budget that one tool result may have, from 0 to 1. A larger one is shrunk before it is first sent,
   * because editing it later costs the provider's cached prefix. Default 0.5.
   */
  readonly maxResultShare?: number;
  /**
   * Whether the first request of the history stays with the last answer of its turn, both shortened to a share of the budget: `true`
   * (5%), `false`, or a share from 0 to 1. Default: `true` where the history has tool calls or tasks, otherwise `false`.
   */
  readonly keepOpening?: boolean | number;
  /**
   * With a previous plan: how far one cut goes down once the window is full, as a share of the budget, above 0 up to 1.
   * Lower means fewer cuts and a prefix that stays the same for longer. Default 0.6; 0.25 for a new question where old entries are quoted.
   */
  readonly lowWatermark?: number;
}
