// The contract of the package: each line is public.
export { applyPlan } from "./apply-plan.ts";
export { createReducer } from "./create-reducer.ts";
export type { ReducerOptions } from "./create-reducer.ts";
export type { FitOptions } from "./fit-options.ts";
export { fitToWindow, fitToWindowAsync } from "./fit-to-window.ts";
export { planReduction } from "./plan-reduction.ts";
export type { Recall, RecallingScorer } from "./recall.ts";

// Steps
export { clearOldResults } from "./steps/clear-old-results.ts";
export { defaultSteps } from "./default-steps.ts";
export { dropOldMessages } from "./steps/drop-old-messages.ts";
export { dropThisTurn } from "./steps/drop-this-turn.ts";
export { maskOldResults } from "./steps/mask-old-results.ts";
export type { MaskedResult, MaskOldResultsOptions } from "./steps/mask-old-results.ts";
export { maskingSteps } from "./steps/masking-steps.ts";
export { reduceOldSources } from "./steps/reduce-old-sources.ts";
export type { ReduceOldSourcesOptions } from "./steps/reduce-old-sources.ts";
export { shortenOldMessages } from "./steps/shorten-old-messages.ts";
export { shrinkOldResults } from "./steps/shrink-old-results.ts";
export { clearRunningResults, shrinkRunningResults } from "./steps/shrink-running-results.ts";
export { shrinkThisTurn } from "./steps/shrink-this-turn.ts";
export { dropUploads, shareUploads } from "./steps/share-uploads.ts";
export type { ShareUploadsOptions } from "./steps/share-uploads.ts";
export { stubOldMedia } from "./steps/stub-old-media.ts";
export type {
  ReductionItem,
  ReductionProposal,
  ReductionSituation,
  ReductionStep,
} from "./reduction-step.ts";

export { replaceOldTurns } from "./steps/replace-old-turns.ts";
export type { ReplaceOldTurnsOptions } from "./steps/replace-old-turns.ts";

// Reducers that are ready
export { loopTokenReducer } from "./loop-token-reducer.ts";
export type { LoopTokenReducerOptions } from "./loop-token-reducer.ts";
export { threeTierReducer } from "./three-tier-reducer.ts";
export type { ThreeTierReducerOptions } from "./three-tier-reducer.ts";

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
export { shrinkJson } from "./shrink-json.ts";
export { shrinkText } from "./shrink-text.ts";
