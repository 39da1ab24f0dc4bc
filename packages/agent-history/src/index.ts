// The public exports of the package.
export { createHistory } from "./create-history.ts";
export type { HistoryOptions } from "./create-history.ts";
export type { ModelOptions } from "./for-model.ts";
export { createHistoryManager } from "@agent-history/history-manager";
export type { HistoryManager } from "@agent-history/history-manager";

// Steps of durable runs
export { threadStep } from "./thread-step.ts";
export type { StepInput, StepOutput, ThreadReference } from "./thread-step.ts";

// Entries
export {
  action,
  assistantMessage,
  attachment,
  delegation,
  errorEntry,
  final,
  globalObservation,
  memory,
  messageRole,
  observation,
  repairHistory,
  strategicPlan,
  summary,
  synthesis,
  systemMessage,
  task,
  userMessage,
} from "@agent-history/core";
export type { HistoryEntry, HistoryView, ModelWindow, Viewer } from "@agent-history/core";
export { checkHistory } from "@agent-history/core/check";

// What a provider would refuse
export { checkMessages } from "./check-messages.ts";
export type { CheckMessagesOptions } from "./check-messages.ts";
export { writtenBy } from "@agent-history/format-kit";
export type { AnswerReader, WireFault } from "@agent-history/format-kit";

// Threads in memory, for tests and single processes, and exported threads
export { checkExport, memoryStore } from "@agent-history/store-kit";
export type { BeforeStore, HistoryStore } from "@agent-history/core";

// Filters: what each agent sees
export {
  customHistoryFilter,
  defaultHistoryFilter,
  filterHistory,
  historyFilterForRole,
  managerHistoryFilter,
  orchestratorHistoryFilter,
  workerHistoryFilter,
} from "@agent-history/filters";
export { completionDetector } from "@agent-history/filters/completion";

// Cleaning of text that was added to answers for users
export {
  followUpQuestionCleaner,
  functionCleaner,
  historyCleaner,
  stockChartCleaner,
  subAgentCleaner,
} from "@agent-history/postprocess";

// Fitting
export {
  blendScorers,
  createReducer,
  embeddingScorer,
  fitToWindow,
  fitToWindowAsync,
  maskOldResults,
  threeTierReducer,
} from "@agent-history/reducer";
export { lexicalScorer } from "@agent-history/reducer/lexical";
export type { ReductionStep } from "@agent-history/reducer";
export type { Reducer, ReductionPlan } from "@agent-history/core";

// Counting
export {
  calibratedCounter,
  estimatingCounter,
  modelCounter,
  modelWindow,
  tiktokenCounter,
} from "@agent-history/tokens";
export type { TokenCounter } from "@agent-history/core";

// Summaries
export {
  allOf,
  anyOf,
  betweenPhases,
  chunked,
  commitCompactions,
  compressHistory,
  createCompressor,
  fromLastNMessages,
  messagesExceed,
  not,
  replaceHistoryWithSummary,
  retrieveFacts,
  tokensExceed,
  turnsExceed,
  wholeHistory,
  windowShareExceeds,
} from "@agent-history/compression";
export type { CompressionStrategy, SummaryModel } from "@agent-history/core";

// Errors
export { HistoryError, isHistoryError } from "@agent-history/core";
export type { HistoryErrorCode } from "@agent-history/core";
