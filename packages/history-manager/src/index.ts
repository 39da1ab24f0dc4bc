// The contract of the package: each line is public.
export { createHistoryManager } from "./create-history-manager.ts";
export type {
  AnswerCleaner,
  CleanedAnswers,
  HistoryManagerOptions,
  RoleFilters,
  RoleWindows,
} from "./history-manager-options.ts";
export type {
  CallOptions,
  HistoryManager,
  HistoryScopes,
  HistoryReader,
  HistoryWriter,
  NewGlobalObservation,
  ReadOptions,
  TurnOptions,
  ThreadKeeper,
} from "./history-manager.ts";
export type { Scope } from "./scope.ts";

// Looking back
export { recallTools } from "./recall-tools.ts";
export type { RecallToolLimits, RecallToolOptions } from "./recall-tool-options.ts";

// What goes in
export type { ModelCallRequest } from "./model-call.ts";
export type {
  HandledToolCall,
  ToolCallAnswer,
  ToolCallFailure,
  ToolCallResult,
  ToolCallSuccess,
  UnnumberedSource,
} from "./tool-call-result.ts";
export type { AddedUserMessage, NewAttachment, NewUserMessage } from "./user-message.ts";
export type { CompressViewOptions, ViewCompression } from "./view-compression.ts";

// What comes out
export type { ModelCallCounts, ModelCallHistory } from "./model-call.ts";
export type { ProviderTotals, ProviderUsage, ThreadUsage, Usage } from "./thread-usage.ts";
