// The contract of the package: each line is public.

// Contents to entries and back
export { fromContents, toContents, toGoogleRequest } from "./contents.ts";
export type {
  FromContentsOptions,
  GoogleContent,
  GoogleContentLike,
  GooglePart,
  GoogleRequest,
} from "./contents.ts";

// Steps of the Interactions API to entries and back
export {
  fromInteractionSteps,
  toInteractionRequest,
  toInteractionSteps,
} from "./interaction-steps.ts";
export type {
  InteractionContent,
  InteractionRequest,
  InteractionStep,
  InteractionStepLike,
} from "./interaction-steps.ts";

// Requests that fit
export {
  countRequest,
  fitContents,
  fitContentsAsync,
  fitInteractionSteps,
  fitInteractionStepsAsync,
} from "./fit-contents.ts";
export type {
  FitContentsOptions,
  FitContentsSyncOptions,
  FittedContents,
  FittedInteraction,
  GoogleRequestToCount,
} from "./fit-contents.ts";
export type { RequestCount, SyncReducer } from "@agent-history/format-kit";
export { toToolDefinitions } from "./to-tool-definitions.ts";

// What the APIs refuse
export {
  checkContents,
  checkInteractionSteps,
  googleRules,
  googleTarget,
  interactionRules,
  interactionTarget,
} from "./google-rules.ts";
export type { GoogleRuleOptions } from "./google-rules.ts";
