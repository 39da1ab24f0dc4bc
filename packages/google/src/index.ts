// Public API of the package.

// Contents
export { fromContents, toContents, toGoogleRequest } from "./contents.ts";
export type {
  FromContentsOptions,
  GoogleContent,
  GoogleContentLike,
  GooglePart,
  GoogleRequest,
} from "./contents.ts";

// Steps of the Interactions API
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

// Fitted requests
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

// Rules of the APIs
export {
  checkContents,
  checkInteractionSteps,
  googleRules,
  googleTarget,
  interactionRules,
  interactionTarget,
} from "./google-rules.ts";
export type { GoogleRuleOptions } from "./google-rules.ts";
