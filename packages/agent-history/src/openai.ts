// The contract of the entry `agent-history/openai`: each line is public.
export { fitChatMessages, fitChatMessagesAsync } from "./fit-chat-messages.ts";
export type { FitChatOptions, FittedChat } from "./fit-chat-messages.ts";
export { fitResponseItems, fitResponseItemsAsync } from "./fit-response-items.ts";
export type { FitResponseOptions, FittedResponseItems } from "./fit-response-items.ts";
export { countRequest } from "./count-openai-request.ts";
export type { RequestCount } from "@agent-history/openai";
export type { FitRequestOptions } from "./fit-request-options.ts";
export type { CountForModel, ModelOptions } from "./model-options.ts";
export type { ReductionPlan } from "@agent-history/core";

// What OpenAI does not have yet
export { continuation, sendContinuation } from "@agent-history/openai";
export type { ResponseContinuation, SentResponse } from "@agent-history/openai";

// Messages and entries, for `createHistory`
export {
  fromChatMessages,
  fromResponseItems,
  toChatMessages,
  toChatTools,
  toResponseItems,
  toResponseTools,
  toToolDefinitions,
} from "@agent-history/openai";

// What a provider did with reasoning
export { droppedReasoning } from "@agent-history/openai";
export type { DroppedReasoning } from "@agent-history/openai";
