// The contract of the package: each line is public.
export { calibratedCounter } from "./calibrated-counter.ts";
export type {
  CalibratedCounter,
  CalibratedCounterOptions,
  Calibration,
  Observation,
} from "./calibrated-counter.ts";
export { estimatingCounter } from "./estimating-counter.ts";
export type { CounterFamily, EstimatingCounterOptions } from "./estimating-counter.ts";
export type {
  EncodingCounterOptions,
  EncodingOption,
  OpenaiCounterOptions,
  OpenaiModelOption,
} from "./internal/openai-counter.ts";
export type { OwnRules } from "./internal/media-tokens.ts";
export type { EncodingName } from "./internal/pre-tokens.ts";
export { modelCounter } from "./model-counter.ts";
export type { ModelCounterOptions } from "./model-counter.ts";
export { tiktokenCounter } from "./tiktoken-counter.ts";

// Rules for images
export { anthropicImageTokens, geminiImageTokens, openaiImageTokens } from "./image-tokens.ts";
export type { AnthropicResolution, ImageTokens } from "./image-tokens.ts";

// Windows
export { modelWindow } from "./model-window.ts";
export type { KnownModelWindow, ModelLimits, ModelWindowOptions } from "./model-window.ts";
export { reasoningRule } from "./reasoning-rule.ts";
