// The contract of the entry `agent-history/google`: each line is public.
export {
  fitContents,
  fitContentsAsync,
  fitInteractionSteps,
  fitInteractionStepsAsync,
} from "./fit-contents.ts";
export type { FitContentsForModelOptions } from "./fit-contents.ts";
export type { ModelOptions } from "./model-options.ts";
export type { FittedContents, FittedInteraction } from "@agent-history/google";
export type { ReductionPlan } from "@agent-history/core";

// Contents, steps and entries, for `createHistory`
export {
  fromContents,
  fromInteractionSteps,
  toContents,
  toGoogleRequest,
  toInteractionRequest,
  toInteractionSteps,
} from "@agent-history/google";
