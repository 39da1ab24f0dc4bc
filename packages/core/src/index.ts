// The contract of the package: each line is public.
export type {
  ActionEntry,
  Agent,
  AgentRole,
  AssistantMessageEntry,
  AttachmentEntry,
  DelegationEntry,
  EntryBase,
  EntryOf,
  EntryOrigin,
  EntryRun,
  ErrorEntry,
  FinalEntry,
  GlobalObservationEntry,
  HistoryEntry,
  MemoryEntry,
  ObservationEntry,
  OpaqueEntry,
  Outcome,
  PhaseId,
  Source,
  StrategicPlanEntry,
  SummaryEntry,
  SummaryPart,
  SynthesisEntry,
  TaskEntry,
  ToolCall,
  Trust,
  UserMessageEntry,
} from "./history-entry.ts";
export { contentText } from "./content.ts";
export type {
  Content,
  ContentPart,
  FilePart,
  ImagePart,
  MediaSource,
  OpaquePart,
  ReasoningPart,
} from "./content.ts";
export { isObject } from "./json.ts";
export type { JsonObject, JsonValue } from "./json.ts";

// Entry types and their groups
export {
  ACTION,
  ASSISTANT_MESSAGE,
  ATTACHMENT,
  COMPLETION_TYPES,
  CONVERSATION_TYPES,
  COORDINATION_TYPES,
  DELEGATION,
  DERIVED_TYPES,
  ENTRY_TYPES,
  ERROR,
  EXECUTION_TRACE_TYPES,
  FINAL,
  GLOBAL_OBSERVATION,
  GLOBAL_TYPES,
  MEMORY,
  OBSERVATION,
  OPAQUE,
  STRATEGIC_PLAN,
  SUMMARY,
  SYNTHESIS,
  SYSTEM_MESSAGE,
  TASK,
  USER_MESSAGE,
} from "./entry-types.ts";
export type { EntryType, EntryTypeName } from "./entry-types.ts";

// Building entries
export {
  action,
  assistantMessage,
  attachment,
  customEntry,
  delegation,
  errorEntry,
  final,
  globalObservation,
  memory,
  observation,
  opaque,
  strategicPlan,
  summary,
  synthesis,
  systemMessage,
  task,
  userMessage,
} from "./create-entries.ts";
export type { CustomEntryFields, EntryFields, EntrySources } from "./create-entries.ts";

// Reading entries
export { isRendered, messageRole } from "./message-role.ts";
export type { MessageRole, Viewer } from "./message-role.ts";
export { citedSources, renderSources } from "./sources.ts";
export { sameJson } from "./same-json.ts";
export { agentView, isInView } from "./history-view.ts";
export type { HistoryView } from "./history-view.ts";

// Turns and exchanges
export { findLastTask, findQuestion, splitTurns } from "./split-turns.ts";
export { groupExchanges, outermostActions, pairCalls } from "./group-exchanges.ts";
export type { Exchange, SingleEntry, ToolRound } from "./group-exchanges.ts";
export type { Turn } from "./split-turns.ts";

// Soundness
export { repairHistory } from "./repair-history.ts";
export type { Repair } from "./repair-history.ts";

// Queries
export { applyCompactions, isOverlay } from "./apply-compactions.ts";
export type { HistoryQuery, QueryClause } from "./history-query.ts";

// Errors and limits
export { countOption, HistoryError, isHistoryError, throwIfAborted } from "./history-error.ts";
export type { HistoryErrorCode, HistoryErrorDetails } from "./history-error.ts";
export { overReadable } from "./over-readable.ts";
export {
  MAX_BATCH_BYTES,
  MAX_BATCH_ENTRIES,
  MAX_ENTRY_BYTES,
  MAX_NAME_LENGTH,
  MAX_QUERY_IDS,
} from "./history-store.ts";

// Contracts that other packages implement
export type {
  Compaction,
  CompressionCall,
  CompressionItem,
  CompressionOutcome,
  CompressionProposal,
  CompressionSituation,
  CompressionSpan,
  CompressionStrategy,
  Compressor,
  Concept,
  SummaryModel,
  SummaryRequest,
} from "./compressor.ts";
export type { FilterContext, HistoryFilter } from "./history-filter.ts";
export type {
  BeforeStore,
  ErasureReceipt,
  ErasureRemains,
  ExpectedVersion,
  HistoryStore,
  ReadResult,
  Retention,
  StateItem,
  StoredEntryProblem,
  StoreDescription,
} from "./history-store.ts";
export type { MetadataChange, ThreadMetadata } from "./thread-metadata.ts";
export type {
  Compactable,
  Compacted,
  Reducer,
  Reduction,
  ReductionRequest,
  RelevanceScorer,
} from "./reducer.ts";
export type {
  Decision,
  DecisionAction,
  EntryEdit,
  LeftOutReason,
  ModelWindow,
  PlanContinuation,
  PlannedCompaction,
  PlannedReasoning,
  PlannedRecall,
  PlannedWindow,
  ReasoningCount,
  ReasoningRule,
  ReductionPlan,
  StoppedBy,
} from "./reduction-plan.ts";
export type { AsyncTokenCounter, CountLimit, MediaCount, TokenCounter } from "./token-counter.ts";
export type { ToolAnswer, ToolDefinition, ToolHandler } from "./tools.ts";
