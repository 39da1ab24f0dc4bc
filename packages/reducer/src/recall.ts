import type { ReductionPlan, RelevanceScorer } from "@agent-history/core";

import type { Planner, RecallFit } from "./engine/fit.ts";

/**
 * Quotes old entries while the prefix of the prompt stays unchanged. Made by `recallBlocks` of `@agent-history/reducer/recall`; the scorers of this
 * package bring it, so that a fit without a scorer does not carry it.
 */
export interface Recall {
  readonly name: string;
  /** Continues an earlier plan. For `fitToWindow`, not for callers. */
  readonly proceed: (fit: RecallFit, planner: Planner) => ReductionPlan;
}

/** A scorer that brings a way to quote what it finds. */
export interface RecallingScorer extends RelevanceScorer {
  readonly recall: Recall;
}
