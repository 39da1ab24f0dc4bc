// Public API of the package.

// Messages to entries and back
export {
  anthropicTarget,
  checkAnthropicMessages,
  fromAnthropicMessages,
  toAnthropicMessages,
} from "./anthropic-messages.ts";
export type { FromAnthropicOptions } from "./anthropic-messages.ts";
export { toAnthropicRequest } from "./to-anthropic-request.ts";
export type {
  AnthropicCacheOptions,
  AnthropicRequest,
  ToAnthropicRequestOptions,
} from "./to-anthropic-request.ts";
export type {
  AnthropicBlock,
  AnthropicCacheControl,
  AnthropicDocumentBlock,
  AnthropicImageBlock,
  AnthropicMessage,
  AnthropicMessageLike,
  AnthropicTextBlock,
  AnthropicToolResult,
  AnthropicToolUse,
} from "./anthropic-message.ts";

// Fitted requests
export {
  countRequest,
  fitAnthropicRequest,
  fitAnthropicRequestAsync,
} from "./fit-anthropic-request.ts";
export type {
  AnthropicCompaction,
  AnthropicRequestToCount,
  CompactedByAnthropic,
  FitAnthropicOptions,
  FitAnthropicSyncOptions,
  FittedAnthropicRequest,
} from "./fit-anthropic-request.ts";
export type { RequestCount, SyncReducer } from "@agent-history/format-kit";
export { anthropicRules } from "./anthropic-rules.ts";
export type { AnthropicRuleOptions } from "./anthropic-rules.ts";
export { fitToolRunner } from "./fit-tool-runner.ts";
export type { FitToolRunnerOptions, ToolRunnerLike } from "./fit-tool-runner.ts";

// Continuing a message thread
export { continuation, sendContinuation } from "./continuation.ts";
export type { MessageContinuation, SentMessage } from "./continuation.ts";

// The memory tool
export { memoryToolHandlers } from "./memory-tool-handlers.ts";
export type { MemoryToolHandlers, MemoryToolOptions } from "./memory-tool-handlers.ts";

// Sessions of the Claude Agent SDK
export { claudeSessionStore } from "./claude-session-store.ts";
export type {
  ClaudeSessionKey,
  ClaudeSessionStore,
  ClaudeSessionStoreOptions,
} from "./claude-session-store.ts";
export type { ClaudeSessionLine } from "./internal/session-lines.ts";

// Tools
export { toToolDefinitions } from "./to-tool-definitions.ts";
export type { AnthropicTool } from "./to-tool-definitions.ts";

// Reasoning that the provider dropped
export { droppedReasoning } from "@agent-history/format-kit";
export type { DroppedReasoning } from "@agent-history/format-kit";
