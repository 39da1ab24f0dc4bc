// The contract of the entry `agent-history/langchain`: each line is public.
export { fitAgentMiddleware as fitMiddleware } from "./fit-agent-middleware.ts";
export type { FitAgentMiddlewareOptions } from "./fit-agent-middleware.ts";
export { countRequest, fitLangChainMessages as fitMessages } from "./fit-langchain-messages.ts";
export { fitLangChainMessagesAsync as fitMessagesAsync } from "./fit-langchain-messages.ts";
export type { FitLangChainOptions } from "./fit-langchain-messages.ts";
export type { CountForModel, ModelOptions } from "./model-options.ts";
export type { FittedMessages, HistoryMiddleware, RequestCount } from "@agent-history/langchain";

// Conversations that last
export { messageHistory } from "@agent-history/langchain";
export type { MessageHistory, MessageHistoryOptions } from "@agent-history/langchain";

// Messages and entries, for `createHistory`
export {
  fromMessages,
  summaryMiddleware,
  tokenCounter,
  toMessages,
} from "@agent-history/langchain";
