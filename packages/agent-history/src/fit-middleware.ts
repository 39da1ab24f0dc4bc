import { fitMiddleware as fitMiddlewareWith } from "@agent-history/ai-sdk";
import type { FitMiddlewareOptions } from "@agent-history/ai-sdk";
import type { LanguageModelMiddleware } from "ai";

import { reducerParts } from "./internal/reducer-parts.ts";
import type { HookOptions } from "./internal/reducer-parts.ts";

/** Options of {@link fitMiddleware}: the model, and those of `fitMiddleware` of `@agent-history/ai-sdk`. */
export interface FitMiddlewareForModelOptions
  extends HookOptions, Omit<FitMiddlewareOptions, "reducer" | "window"> {}

/**
 * Makes a middleware for the AI SDK's `wrapLanguageModel` that trims the prompt of each call to the model's context window, for callers that have no
 * `prepareStep`.
 *
 * @throws `HistoryError` with code `INVALID_OPTION` for an unknown model: pass `window` and `counter`.
 *
 * @example
 * ```ts
 * import { fitMiddleware } from "agent-history/ai-sdk";
 *
 * const middleware = fitMiddleware({ model: "gpt-5" });
 * // const model = wrapLanguageModel({ model: openai("gpt-5"), middleware });
 * ```
 */
export function fitMiddleware(options: FitMiddlewareForModelOptions): LanguageModelMiddleware {
  return fitMiddlewareWith({ ...options, ...reducerParts(options) });
}
