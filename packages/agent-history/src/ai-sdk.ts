// The contract of the entry `agent-history/ai-sdk`: each line is public.
export { fitModelMessages, fitModelMessagesAsync } from "./fit-model-messages.ts";
export type { FitModelMessagesOptions, FittedModelMessages } from "./fit-model-messages.ts";
export { fitMiddleware } from "./fit-middleware.ts";
export type { FitMiddlewareForModelOptions } from "./fit-middleware.ts";
export { fitPrompt } from "./fit-prompt.ts";
export type { FitPromptForModelOptions } from "./fit-prompt.ts";
export { fitStep } from "./fit-step.ts";
export type { FitStepForModelOptions } from "./fit-step.ts";
export { countMiddleware, countRequest } from "./count-model-request.ts";
export type { RequestCount } from "@agent-history/ai-sdk";
export type { FitRequestOptions } from "./fit-request-options.ts";
export type { CountForModel, ModelOptions } from "./model-options.ts";
export type { ReductionPlan } from "@agent-history/core";

// Chats that last
export { chatStore } from "@agent-history/ai-sdk";
export type { ChatBranch, ChatStore, StoredChat } from "@agent-history/ai-sdk";

// Messages and entries, for `createHistory`
export {
  aiSdkSummaryModel,
  fromModelMessages,
  fromUIMessages,
  toModelMessages,
  toToolDefinitions,
  toToolSet,
  toUIMessages,
} from "@agent-history/ai-sdk";

// What a provider did with reasoning
export { droppedReasoning } from "@agent-history/ai-sdk";
export type { DroppedReasoning } from "@agent-history/ai-sdk";
