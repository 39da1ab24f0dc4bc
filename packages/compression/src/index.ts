// The contract of the package: each line is public.
export {
  compressHistory,
  createCompressor,
  replaceHistoryWithSummary,
} from "./compress-history.ts";
export type { CompressorOptions, HistoryCompressor } from "./compress-history.ts";
export type { CompressionResult, CompressOptions, NotNeededCause } from "./compress-options.ts";
export type { CompressionState, CompressionWait } from "./compression-state.ts";
export type { ModelOptions } from "./internal/ask-model.ts";

// What to do with a compaction
export {
  addCompactions,
  commitCompactions,
  expandCompaction,
  areStillValid,
} from "./compactions.ts";

// Strategies
export type {
  CompressionItem,
  CompressionProposal,
  CompressionSituation,
  CompressionSpan,
  CompressionStrategy,
  Concept,
} from "@agent-history/core";
export {
  chunked,
  fromLastNMessages,
  fromTimestamp,
  noCompression,
  retrieveFacts,
  wholeHistory,
  wholeHistoryPerSystemMessage,
} from "./strategies.ts";
export type { ChunkedOptions } from "./strategies.ts";

// Triggers
export {
  allOf,
  anyOf,
  betweenPhases,
  messagesExceed,
  not,
  tokensExceed,
  turnsExceed,
  windowShareExceeds,
} from "./triggers.ts";
export type { CompressionTrigger, TriggerSituation } from "./triggers.ts";

// Summaries without a model
export { extractiveSummary } from "./extractive-summary.ts";
export type { ExtractiveSummary, ExtractiveSummaryOptions } from "./extractive-summary.ts";
