import type { ReductionPlan, RelevanceScorer } from "@agent-history/core";

import type { Planner, RecallFit } from "./engine/fit.ts";

/**
 * Quotes old entries while the prefix of the prompt stays unchanged. Created by `recallBlocks` of `@agent-history/reducer/recall`; the scorers of this
 * package include it, so that a fit without a scorer does not import it.
 */
export interface Recall {
  readonly name: string;
  /** Continues an earlier plan. Called by `fitToWindow`, not by applications. */
  readonly proceed: (fit: RecallFit, planner: Planner) => ReductionPlan;
}

/** A scorer that includes a way to quote the entries it finds. */
export interface RecallingScorer extends RelevanceScorer {
  readonly recall: Recall;
}
