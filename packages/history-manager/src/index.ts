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
  AddedUserMessage,
  CallOptions,
  CompressViewOptions,
  HandledToolCall,
  HistoryManager,
  HistoryReader,
  HistoryScopes,
  HistoryWriter,
  NewAttachment,
  NewGlobalObservation,
  NewUserMessage,
  ReadOptions,
  Scope,
  ThreadKeeper,
  ToolCallAnswer,
  ToolCallFailure,
  ToolCallResult,
  ToolCallSuccess,
  TurnOptions,
  UnnumberedSource,
  ViewCompression,
} from "./history-manager.ts";
export type { ModelCallCounts, ModelCallHistory, ModelCallRequest } from "./model-call.ts";

// Looking back
export { recallTools } from "./recall-tools.ts";
export type { RecallToolLimits, RecallToolOptions } from "./recall-tools.ts";
