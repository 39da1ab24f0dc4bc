// The public API of the package.
export { applyPlan } from "./apply-plan.ts";
export { withCompaction } from "./engine/compaction.ts";
export type { FitOptions, UploadShares } from "./fit-options.ts";
export { fitToWindow, fitToWindowAsync } from "./fit-to-window.ts";
export { planReduction } from "./fit-to-window.ts";
export type { Recall, RecallingScorer } from "./recall.ts";

// Ready-made reducers
export { createReducer, loopTokenReducer, threeTierReducer } from "./ready-reducers.ts";
export type {
  LoopTokenReducerOptions,
  ReducerOptions,
  ThreeTierReducerOptions,
} from "./ready-reducers.ts";

// Optional steps
export { maskOldResults } from "./mask-old-results.ts";
export type { MaskedResult, MaskOldResultsOptions } from "./mask-old-results.ts";
export { replaceOldTurns } from "./replace-old-turns.ts";
export type { ReplaceOldTurnsOptions } from "./replace-old-turns.ts";
export { STEP_NAMES } from "./reduction-step.ts";
export type {
  ReductionMember,
  ReductionNeed,
  ReductionProposal,
  ReductionStep,
  ReductionUnit,
  StepName,
} from "./reduction-step.ts";

// Relevance scorers
export { blendScorers, recencyScorer } from "./blend-scorers.ts";
export type { WeightedScorer } from "./blend-scorers.ts";
export { embeddingScorer } from "./embedding-scorer.ts";
export type { EmbeddingScorerOptions } from "./embedding-scorer.ts";
export { importanceScorer } from "./importance-scorer.ts";

// Prefix stability
export { prefixStability } from "./prefix-stability.ts";
export type { PrefixStability } from "./prefix-stability.ts";

// Making entries smaller
export { editEntry } from "./edit-entry.ts";
export { shrinkJson, shrinkText } from "./shrink-text.ts";
