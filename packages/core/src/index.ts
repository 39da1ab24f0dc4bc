// The contract of the package: each line is public.
export type {
  AssistantMessageEntry,
  AttachmentEntry,
  SystemMessageEntry,
  UserMessageEntry,
} from "./conversation-entries.ts";
export { contentText } from "./content.ts";
export type {
  Content,
  ContentPart,
  FilePart,
  ImagePart,
  MediaSource,
  OpaquePart,
  PartBase,
  ReasoningPart,
  TextPart,
} from "./content.ts";
export type {
  DelegationEntry,
  FinalEntry,
  GlobalObservationEntry,
  StrategicPlanEntry,
  SynthesisEntry,
} from "./coordination-entries.ts";
export type { OpaqueEntry } from "./opaque-entry.ts";
export type { EntryRun, MemoryEntry, SummaryEntry, SummaryPart, Trust } from "./derived-entries.ts";
export type { Agent, AgentRole, EntryBase, EntryOrigin, PhaseId } from "./entry-base.ts";
export type { EntryOf, HistoryEntry } from "./history-entry.ts";
export { isObject } from "./json.ts";
export type { JsonObject, JsonValue } from "./json.ts";
export type {
  ActionEntry,
  ErrorEntry,
  ObservationEntry,
  Outcome,
  Source,
  TaskEntry,
  ToolCall,
} from "./trace-entries.ts";

// Entry types and their groups
export {
  ACTION,
  ASSISTANT_MESSAGE,
  ATTACHMENT,
  OPAQUE,
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
  delegation,
  errorEntry,
  final,
  globalObservation,
  memory,
  observation,
  strategicPlan,
  summary,
  synthesis,
  systemMessage,
  task,
  userMessage,
} from "./create-entries.ts";
export type { EntryFields } from "./create-entries.ts";
export { customEntry } from "./custom-entry.ts";
export type { CustomEntryFields } from "./custom-entry.ts";
export type { EntrySources } from "./entry-sources.ts";

// Reading entries
export { opaque } from "./opaque-entry.ts";
export { isRendered, messageRole } from "./message-role.ts";
export type { MessageRole, Viewer } from "./message-role.ts";
export { citedSources } from "./cited-sources.ts";
export { renderSources } from "./render-sources.ts";
export { sameJson } from "./same-json.ts";
export { agentView } from "./history-view.ts";
export { isInView } from "./is-in-view.ts";
export type { HistoryView } from "./history-view.ts";

// Turns and exchanges
export { findLastTask } from "./find-last-task.ts";
export { findQuestion } from "./find-question.ts";
export { groupExchanges } from "./group-exchanges.ts";
export type { Exchange, SingleEntry, ToolRound } from "./group-exchanges.ts";
export { outermostActions, pairCalls } from "./pair-calls.ts";
export type { Pairing } from "./pair-calls.ts";
export { splitTurns } from "./split-turns.ts";
export type { Turn } from "./split-turns.ts";

// Soundness
export { repairHistory } from "./repair-history.ts";
export type { Repair } from "./repair-history.ts";

// Queries
export { applyCompactions, isOverlay } from "./apply-compactions.ts";
export type { BeforePhase, HistoryQuery, LastTurns, QueryClause } from "./history-query.ts";

// Errors and limits
export { HistoryError, isHistoryError } from "./history-error.ts";
export type { HistoryErrorCode, HistoryErrorDetails } from "./history-error.ts";
export { overReadable } from "./over-readable.ts";
export { countOption } from "./count-option.ts";
export { throwIfAborted } from "./throw-if-aborted.ts";
export {
  MAX_BATCH_BYTES,
  MAX_BATCH_ENTRIES,
  MAX_ENTRY_BYTES,
  MAX_NAME_LENGTH,
  MAX_QUERY_IDS,
} from "./store-limits.ts";

// Contracts that other packages implement
export type {
  CompressionItem,
  CompressionProposal,
  CompressionSituation,
  CompressionSpan,
  CompressionStrategy,
} from "./compression-strategy.ts";
export type { Compaction, CompressionCall, CompressionOutcome, Compressor } from "./compressor.ts";
export type { Concept } from "./concept.ts";
export type { FilterContext, HistoryFilter } from "./history-filter.ts";
export type {
  BeforeStore,
  DeleteOptions,
  ErasureOptions,
  ErasureReceipt,
  ErasureRemains,
  ExpectedVersion,
  HistoryStore,
  ImportedThread,
  ReadResult,
  StateItem,
  Retention,
  StoreDescription,
  SweepOptions,
} from "./history-store.ts";
export type { StoredEntryProblem } from "./stored-entry-problem.ts";
export type { MetadataChange, ThreadMetadata } from "./thread-metadata.ts";
export type { Compactable, Compacted, Reducer, Reduction, ReductionRequest } from "./reducer.ts";
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
  SkippedStep,
  StoppedBy,
} from "./reduction-plan.ts";
export type { RelevanceScorer } from "./relevance-scorer.ts";
export type { SummaryModel, SummaryRequest } from "./summary-model.ts";
export type { AsyncTextCleaner, TextCleaner, TextSource, TextSpan } from "./text-cleaner.ts";
export type {
  AsyncTokenCounter,
  CountLimit,
  MediaCount,
  TokenCounter,
  ToolDefinition,
} from "./token-counter.ts";
export type { ToolAnswer, ToolHandler } from "./tool-handler.ts";
