// The public exports of the package.

// Conversion between messages and entries
export { fromModelMessages, toModelMessages } from "./model-messages.ts";
export type { FromModelOptions, Instructions } from "./model-messages.ts";
export { fromUIMessages, toUIMessages } from "./ui-messages.ts";
export type { FromUIOptions } from "./ui-messages.ts";
export { modelRules, modelTarget } from "./model-rules.ts";
export type { ModelRuleOptions } from "./model-rules.ts";
export { toToolDefinitions, toToolDefinitionsSync } from "./to-tool-definitions.ts";
export type { ToolDefinitionOptions } from "./to-tool-definitions.ts";
export { toToolSet } from "./to-tool-set.ts";

// Counting a call
export { countMiddleware, countRequest } from "./count-request.ts";
export type { CountMiddlewareOptions, ModelRequestToCount } from "./count-request.ts";
export type { RequestCount } from "@agent-history/format-kit";

// Stored chats
export { chatStore } from "./chat-store.ts";
export type {
  ChatBranch,
  ChatCall,
  ChatStore,
  ChatStoreOptions,
  ChatToSave,
  StoredChat,
} from "./chat-store.ts";

// Agent loop and models
export { fitMiddleware, fitPrompt } from "./fit-prompt.ts";
export type {
  FitMiddlewareOptions,
  FitPromptOptions,
  PromptFitter,
  PromptToFit,
} from "./fit-prompt.ts";
export { fitStep } from "./fit-step.ts";
export type { FitStep, StepToFit } from "./fit-step.ts";
export { aiSdkSummaryModel } from "./ai-sdk-summary-model.ts";
export type { AiSdkSummaryModelOptions } from "./ai-sdk-summary-model.ts";

// Reasoning that the provider dropped
export { droppedReasoning } from "@agent-history/format-kit";
export type { DroppedReasoning } from "@agent-history/format-kit";
