// The contract of the entry `agent-history/google`: each line is public.
export {
  countRequest,
  fitContents,
  fitContentsAsync,
  fitInteractionSteps,
  fitInteractionStepsAsync,
} from "./fit-contents.ts";
export type { FitContentsForModelOptions } from "./fit-contents.ts";
export type { CountForModel, ModelOptions } from "./model-options.ts";
export type { FittedContents, FittedInteraction, RequestCount } from "@agent-history/google";
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
