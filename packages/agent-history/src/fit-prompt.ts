import { fitPrompt as fitPromptWith } from "@agent-history/ai-sdk";
import type { FitPromptOptions, PromptFitter } from "@agent-history/ai-sdk";

import { reducerParts } from "./internal/reducer-parts.ts";
import type { HookOptions } from "./internal/reducer-parts.ts";

/** Options of {@link fitPrompt}: the model, and those of `fitPrompt` of `@agent-history/ai-sdk`. */
export interface FitPromptForModelOptions
  extends HookOptions, Omit<FitPromptOptions, "reducer" | "window"> {}

/**
 * Makes a function that trims a prompt of the AI SDK's model interface to the model's context window, for frameworks that show it before it is sent: Mastra's
 * `processLLMRequest`.
 *
 * @throws `HistoryError` with code `INVALID_OPTION` for an unknown model: pass `window` and `counter`.
 *
 * @example
 * ```ts
 * import { fitPrompt } from "agent-history/ai-sdk";
 *
 * const fit = fitPrompt({ model: "gpt-5" });
 * // processLLMRequest: async ({ prompt }) => ({ prompt: await fit({ prompt }) })
 * ```
 */
export function fitPrompt(options: FitPromptForModelOptions): PromptFitter {
  return fitPromptWith({ ...options, ...reducerParts(options) });
}
