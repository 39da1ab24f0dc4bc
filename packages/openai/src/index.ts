// Public API of the package.

// Chat completions
export {
  chatTarget,
  checkChatMessages,
  fromChatMessages,
  toChatMessages,
} from "./chat-messages.ts";
export type { ChatMessage, ChatMessageLike } from "./chat-message.ts";

// Responses
export {
  checkResponseItems,
  fromResponseItems,
  responseTarget,
  toResponseItems,
} from "./response-items.ts";
export type { FromResponseOptions } from "./response-items.ts";
export { sinceCompaction } from "@agent-history/format-kit";
export type { ResponseItem, ResponseItemLike } from "./response-item.ts";

// Continuing a stored response
export { continuation, sendContinuation } from "./continuation.ts";
export type { ResponseContinuation, SentResponse } from "./continuation.ts";

// Request size
export { countRequest } from "./count-request.ts";
export type { OpenAIRequestToCount } from "./count-request.ts";
export type { RequestCount } from "@agent-history/format-kit";

// Wire rules: what a server refuses
export { chatRules } from "./chat-rules.ts";
export { responseRules } from "./response-rules.ts";
export type { OpenAIHost, OpenAIRuleOptions } from "./openai-rules.ts";

// Tools
export { toToolDefinitions } from "./to-tool-definitions.ts";
export type { OpenAITool } from "./to-tool-definitions.ts";

// Reasoning that the provider dropped
export { droppedReasoning } from "@agent-history/format-kit";
export type { DroppedReasoning } from "@agent-history/format-kit";
