// The contract of the package: each line is public.

// Cleaning
export { removeFromText } from "./remove-from-text.ts";
export type {
  CleanedText,
  CleaningFailure,
  CleaningLocation,
  RemovalOptions,
  TextCut,
} from "./remove-from-text.ts";
export { historyCleaner } from "./history-cleaner.ts";
export type { CleanedHistory, HistoryCleaner, HistoryCleanerOptions } from "./history-cleaner.ts";

// Cleaners, by what shows them the text to cut
export {
  detailsCleaner,
  fenceCleaner,
  followUpQuestionCleaner,
  footerCleaner,
  markerCleaner,
  stockChartCleaner,
  subAgentCleaner,
  tagCleaner,
} from "./text-cleaners.ts";
export type {
  FenceCleanerOptions,
  FooterCleanerOptions,
  MarkerCleanerOptions,
  TagCleanerOptions,
} from "./text-cleaners.ts";
export { functionCleaner } from "./function-cleaner.ts";
export type { FunctionCleanerOptions } from "./function-cleaner.ts";

// Adding, so that it can be taken away
export { postProcessor } from "./post-processor.ts";
export type { MarkingOptions, OwnRemovalOptions, PostProcessor } from "./post-processor.ts";

// A cleaner of your own
export type { TextCleaner, TextSource, TextSpan } from "./text-cleaner.ts";
