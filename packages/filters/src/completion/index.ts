// The public API of this entry point.
export { COMPLETION_PHRASES, completionDetector } from "./completion-detector.ts";
export type {
  CompletionContext,
  CompletionDetector,
  CompletionDetectorOptions,
  CompletionSignal,
} from "./completion-detector.ts";
export { findLoop } from "./find-loop.ts";
export type { FindLoopOptions, Loop } from "./find-loop.ts";
