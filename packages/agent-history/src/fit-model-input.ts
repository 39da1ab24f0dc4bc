import { fitModelInput as fitModelInputWith } from "@agent-history/openai-agents";
import type { FitModelInputOptions, ModelInputFilter } from "@agent-history/openai-agents";

import { reducerParts } from "./internal/reducer-parts.ts";
import type { HookOptions } from "./internal/reducer-parts.ts";

/** Options of {@link fitModelInput}: the model, and those of `fitModelInput` of `@agent-history/openai-agents`. */
export interface FitModelInputForModelOptions
  extends HookOptions, Omit<FitModelInputOptions, "reducer" | "window"> {}

/**
 * Makes a `callModelInputFilter` for the OpenAI Agents SDK that trims the items of each call to the model's context window. Instructions, tools, handoffs and the output type count; the run's items and
 * its session stay as they are.
 *
 * @throws `HistoryError` with code `INVALID_OPTION` for an unknown model: pass `window` and `counter`.
 *
 * @example
 * ```ts
 * import { fitModelInput } from "agent-history/openai-agents";
 *
 * const callModelInputFilter = fitModelInput({ model: "gpt-5" });
 * // await run(agent, "To Rome, please.", { session, callModelInputFilter });
 * ```
 */
export function fitModelInput(options: FitModelInputForModelOptions): ModelInputFilter {
  return fitModelInputWith({ ...options, ...reducerParts(options) });
}
