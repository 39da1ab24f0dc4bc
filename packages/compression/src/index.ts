// The contract of the package: each line is public.
export { compressHistory } from "./compress-history.ts";
export type { CompressionProgress, CompressOptions } from "./compress-options.ts";
export type { CompressionResult, NotNeededCause } from "./compression-result.ts";
export type { CompressionState, CompressionWait } from "./compression-state.ts";
export { createCompressor } from "./create-compressor.ts";
export type { CompressorOptions, HistoryCompressor } from "./create-compressor.ts";
export { replaceHistoryWithSummary } from "./replace-history-with-summary.ts";
export { startCompression } from "./start-compression.ts";
export type { RunningCompression } from "./start-compression.ts";

// What to do with a compaction
export { addCompaction } from "./add-compaction.ts";
export { commitCompactions } from "./commit-compactions.ts";
export { expandCompaction } from "./expand-compaction.ts";
export { isStillValid } from "./is-still-valid.ts";

// Strategies
export type {
  CompressionItem,
  CompressionProposal,
  CompressionSituation,
  CompressionSpan,
  CompressionStrategy,
  Concept,
} from "@agent-history/core";
export { chunked } from "./strategies/chunked.ts";
export type { ChunkedOptions } from "./strategies/chunked.ts";
export { fromLastNMessages } from "./strategies/from-last-n-messages.ts";
export { fromTimestamp } from "./strategies/from-timestamp.ts";
export { noCompression } from "./strategies/no-compression.ts";
export { retrieveFacts } from "./strategies/retrieve-facts.ts";
export { wholeHistory } from "./strategies/whole-history.ts";
export { wholeHistoryPerSystemMessage } from "./strategies/whole-history-per-system-message.ts";

// Triggers
export type { CompressionTrigger, TriggerSituation } from "./compression-trigger.ts";
export { betweenPhases } from "./triggers/between-phases.ts";
export { allOf, anyOf, not } from "./triggers/combine-triggers.ts";
export { messagesExceed } from "./triggers/messages-exceed.ts";
export { tokensExceed } from "./triggers/tokens-exceed.ts";
export { turnsExceed } from "./triggers/turns-exceed.ts";
export { windowShareExceeds } from "./triggers/window-share-exceeds.ts";

// Who writes
export { extractiveSummary } from "./extractive-summary.ts";
export type { ExtractiveSummary, ExtractiveSummaryOptions } from "./extractive-summary.ts";
export type { ModelOptions } from "./model-options.ts";
export { extractiveSummarizer } from "./summarizer.ts";
export type { Summarizer, SummarizerRequest } from "./summarizer.ts";
export { summaryModel } from "./summary-model.ts";
export type { SummaryModelOptions } from "./summary-model.ts";
