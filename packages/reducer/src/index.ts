// The contract of the package: each line is public.
export { applyPlan } from "./apply-plan.ts";
export { withCompaction } from "./engine/compaction.ts";
export type { FitOptions, UploadShares } from "./fit-options.ts";
export { fitToWindow, fitToWindowAsync } from "./fit-to-window.ts";
export { planReduction } from "./fit-to-window.ts";
export type { Recall, RecallingScorer } from "./recall.ts";

// Reducers that are ready
export { createReducer, loopTokenReducer, threeTierReducer } from "./ready-reducers.ts";
export type {
  LoopTokenReducerOptions,
  ReducerOptions,
  ThreeTierReducerOptions,
} from "./ready-reducers.ts";

// Steps beside the built-in ones
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

// What old messages are worth
export { blendScorers, recencyScorer } from "./blend-scorers.ts";
export type { WeightedScorer } from "./blend-scorers.ts";
export { embeddingScorer } from "./embedding-scorer.ts";
export type { EmbeddingScorerOptions } from "./embedding-scorer.ts";
export { importanceScorer, importanceScores } from "./importance-scorer.ts";

// How much of a prompt stayed the same
export { prefixStability } from "./prefix-stability.ts";
export type { PrefixStability } from "./prefix-stability.ts";

// Making entries smaller
export { editEntry } from "./edit-entry.ts";
export { shrinkJson, shrinkText } from "./shrink-text.ts";
