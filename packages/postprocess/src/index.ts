// The contract of the package: each line is public.

// Cleaning
export { removeFromText } from "./remove-from-text.ts";
export type {
  AsyncRemovalOptions,
  CleanedText,
  CleaningFailure,
  CleaningLocation,
  RemovalOptions,
  TextCut,
} from "./remove-from-text.ts";
export { historyCleaner } from "./history-cleaner.ts";
export type {
  AnswerType,
  AsyncHistoryCleaner,
  AsyncHistoryCleanerOptions,
  CleanedHistory,
  HistoryCleaner,
  HistoryCleanerOptions,
} from "./history-cleaner.ts";

// Cleaners, by what shows them the text to cut
export { fenceCleaner } from "./fence-cleaner.ts";
export type { FenceCleanerOptions } from "./fence-cleaner.ts";
export { footerCleaner } from "./footer-cleaner.ts";
export type { FooterCleanerOptions } from "./footer-cleaner.ts";
export { functionCleaner } from "./function-cleaner.ts";
export type { AsyncFunctionCleanerOptions, FunctionCleanerOptions } from "./function-cleaner.ts";
export { markerCleaner } from "./marker-cleaner.ts";
export type { MarkerCleanerOptions } from "./marker-cleaner.ts";
export { metadataSpanCleaner } from "./metadata-span-cleaner.ts";
export type { AddedSpan, MetadataSpanCleanerOptions } from "./metadata-span-cleaner.ts";
export { tagCleaner } from "./tag-cleaner.ts";
export type { TagCleanerOptions } from "./tag-cleaner.ts";

// Cleaners for what is often added
export {
  detailsCleaner,
  followUpQuestionCleaner,
  stockChartCleaner,
  subAgentCleaner,
} from "./ready-cleaners.ts";

// Adding, so that it can be taken away
export { postProcessor } from "./post-processor.ts";
export type {
  AsyncPostProcessor,
  MarkingOptions,
  OwnRemovalOptions,
  PostProcessor,
} from "./post-processor.ts";
