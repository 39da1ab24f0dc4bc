// The contract of the entry `agent-history/anthropic`: each line is public.
export {
  countRequest,
  fitAnthropicRequest,
  fitAnthropicRequestAsync,
} from "./fit-anthropic-request.ts";
export type { FitAnthropicForModelOptions } from "./fit-anthropic-request.ts";
export { fitToolRunner } from "./fit-tool-runner.ts";
export type { FitToolRunnerOptions } from "./fit-tool-runner.ts";
export type { CountForModel, ModelOptions } from "./model-options.ts";
export type {
  AnthropicCompaction,
  CompactedByAnthropic,
  FittedAnthropicRequest,
  RequestCount,
  ToolRunnerLike,
} from "@agent-history/anthropic";
export type { ReductionPlan } from "@agent-history/core";

// What Anthropic does not have yet
export { continuation, sendContinuation } from "@agent-history/anthropic";
export type { MessageContinuation, SentMessage } from "@agent-history/anthropic";

// Messages and entries, for `createHistory`
export {
  fromAnthropicMessages,
  toAnthropicRequest,
  toToolDefinitions,
} from "@agent-history/anthropic";

// The memory tool
export { memoryToolHandlers } from "@agent-history/anthropic";
export type { MemoryToolHandlers, MemoryToolOptions } from "@agent-history/anthropic";

// Sessions of the Claude Agent SDK
export { claudeSessionStore } from "@agent-history/anthropic";
export type {
  ClaudeSessionKey,
  ClaudeSessionLine,
  ClaudeSessionStore,
  ClaudeSessionStoreOptions,
} from "@agent-history/anthropic";

// What a provider did with reasoning
export { droppedReasoning } from "@agent-history/anthropic";
export type { DroppedReasoning } from "@agent-history/anthropic";
