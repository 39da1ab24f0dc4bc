import { fitMiddleware } from "@agent-history/langchain";
import type { FitMiddlewareOptions, HistoryMiddleware } from "@agent-history/langchain";

import { reducerParts } from "./internal/reducer-parts.ts";
import type { HookOptions } from "./internal/reducer-parts.ts";

/** Options of {@link fitAgentMiddleware}: the model, and those of `fitMiddleware` of `@agent-history/langchain`. */
export interface FitAgentMiddlewareOptions
  extends HookOptions, Omit<FitMiddlewareOptions, "reducer" | "window"> {}

/**
 * Makes a middleware for LangChain's `createAgent` that trims each call of the model to its context window. The agent's messages stay as they are; where room was made stands in its
 * state, so that a checkpointer keeps it. Exported as `fitMiddleware`.
 *
 * @throws `HistoryError` with code `INVALID_OPTION` for an unknown model: pass `window` and `counter`.
 *
 * @example
 * ```ts
 * import { fitMiddleware } from "agent-history/langchain";
 *
 * const middleware = [fitMiddleware({ model: "gpt-5" })];
 * // createAgent({ model: "openai:gpt-5", tools, middleware, checkpointer })
 * ```
 */
export function fitAgentMiddleware(options: FitAgentMiddlewareOptions): HistoryMiddleware {
  return fitMiddleware({ ...options, ...reducerParts(options) });
}
