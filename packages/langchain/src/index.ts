// The contract of the package: each line is public.

// Messages to entries and back
export { fromMessages } from "./messages.ts";
export type { FromMessagesOptions } from "./messages.ts";
export { toMessages } from "./messages.ts";
export type { ToMessagesOptions } from "./messages.ts";
export type {
  LangChainAIMessage,
  LangChainBlock,
  LangChainMessage,
  LangChainMessageLike,
  LangChainTextMessage,
  LangChainToolCall,
  LangChainToolMessage,
} from "./messages.ts";

// A conversation that fits
export { countRequest, fitMessages, fitMessagesAsync } from "./fit-messages.ts";
export type {
  FitMessagesOptions,
  FitMessagesSyncOptions,
  FittedMessages,
  MessagesToCount,
} from "./fit-messages.ts";
export type { RequestCount, SyncReducer } from "@agent-history/format-kit";

// Middleware of `createAgent`
export { fitMiddleware } from "./fit-middleware.ts";
export type { FitMiddlewareOptions } from "./fit-middleware.ts";
export type { HistoryMiddleware, ModelRequestLike } from "./middleware.ts";
export { summaryMiddleware } from "./summary-middleware.ts";
export type { SummaryMiddlewareOptions } from "./summary-middleware.ts";

// What models refuse
export { langChainRules, langChainTarget } from "./langchain-target.ts";
export type { LangChainProvider, LangChainRuleOptions } from "./langchain-target.ts";

// Conversations that last
export { messageHistory } from "./message-history.ts";
export type { MessageHistory, MessageHistoryOptions } from "./message-history.ts";

// Counting
export { tokenCounter } from "./token-counter.ts";
export { toToolDefinitions } from "./to-tool-definitions.ts";
