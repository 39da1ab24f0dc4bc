// The public exports of the package.

// Conversion between messages and entries
export { fromMessages, toMessages } from "./messages.ts";
export type {
  FromMessagesOptions,
  LangChainBlock,
  LangChainMessage,
  LangChainMessageLike,
  ToMessagesOptions,
} from "./messages.ts";

// Fitting a conversation
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

// Provider rules
export { langChainTarget } from "./langchain-rules.ts";
export type { LangChainProvider, LangChainRuleOptions } from "./langchain-rules.ts";

// Stored conversations
export { messageHistory } from "./message-history.ts";
export type { MessageHistory, MessageHistoryOptions } from "./message-history.ts";

// Counting
export { tokenCounter } from "./token-counter.ts";
export { toToolDefinitions } from "./to-tool-definitions.ts";
