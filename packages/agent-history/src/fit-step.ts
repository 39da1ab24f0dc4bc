import { fitStep as fitStepWith } from "@agent-history/ai-sdk";
import type { FitStep, FitStepOptions } from "@agent-history/ai-sdk";

import { reducerParts } from "./internal/reducer-parts.ts";
import type { HookOptions } from "./internal/reducer-parts.ts";

/** Options of {@link fitStep}: the model, and those of `fitStep` of `@agent-history/ai-sdk`. */
export interface FitStepForModelOptions
  extends HookOptions, Omit<FitStepOptions, "reducer" | "window"> {}

/**
 * Makes a `prepareStep` that trims each step of the AI SDK's tool loop to the model's context window.
 *
 * @throws `HistoryError` with code `INVALID_OPTION` for an unknown model: pass `window` and `counter`.
 *
 * @example
 * ```ts
 * import { fitStep } from "agent-history/ai-sdk";
 *
 * const prepareStep = fitStep({ model: "gpt-5", tools: {} });
 * // generateText({ model: openai("gpt-5"), messages, tools, prepareStep })
 * ```
 */
export function fitStep(options: FitStepForModelOptions): FitStep {
  return fitStepWith({ ...options, ...reducerParts(options) });
}
