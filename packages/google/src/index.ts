// The contract of the package: each line is public.

// Contents to entries and back
export { fromContents } from "./from-contents.ts";
export type { FromContentsOptions } from "./from-contents.ts";
export { toContents } from "./to-contents.ts";
export { toGoogleRequest, toInteractionRequest } from "./to-google-request.ts";
export type { GoogleRequest, InteractionRequest } from "./to-google-request.ts";
export type { GoogleContent, GoogleContentLike, GooglePart } from "./google-content.ts";

// Steps of the Interactions API to entries and back
export {
  checkInteractionSteps,
  fromInteractionSteps,
  interactionTarget,
  toInteractionSteps,
} from "./interaction-steps.ts";
export type {
  InteractionContent,
  InteractionStep,
  InteractionStepLike,
} from "./interaction-step.ts";

// Contents and steps that fit
export { fitContents, fitContentsAsync } from "./fit-contents.ts";
export type { FitContentsOptions, FitContentsSyncOptions, FittedContents } from "./fit-contents.ts";
export { fitInteractionSteps, fitInteractionStepsAsync } from "./fit-interaction-steps.ts";
export type { FittedInteraction } from "./fit-interaction-steps.ts";
export { countRequest } from "./count-request.ts";
export type { GoogleRequestToCount } from "./count-request.ts";
export type { RequestCount, SyncReducer } from "@agent-history/format-kit";
export { checkContents, googleTarget } from "./google-target.ts";
export { googleRules } from "./google-rules.ts";
export { interactionRules } from "./interaction-rules.ts";
export type { GoogleRuleOptions } from "./google-rules.ts";

// Tools
export { toToolDefinitions } from "./to-tool-definitions.ts";
