import {
  countMiddleware as countMiddlewareWith,
  countRequest as countWith,
} from "@agent-history/ai-sdk";
import type {
  CountMiddlewareOptions,
  ModelRequestToCount,
  RequestCount,
} from "@agent-history/ai-sdk";
import type { LanguageModelMiddleware } from "ai";

import { counterOf } from "./internal/model-parts.ts";
import type { CountForModel } from "./model-options.ts";

/**
 * Counts a call of the AI SDK before it is sent, by the count that a fit for the model makes: tokens by part, bytes, images, and how much of it is an estimate. Linear.
 *
 * @throws `HistoryError` with code `INVALID_OPTION` for a model without a known tokenizer: pass `counter`, or `estimate: true`.
 *
 * @example
 * ```ts
 * import { countRequest } from "agent-history/ai-sdk";
 *
 * const messages = [{ role: "user" as const, content: "To Rome, please." }];
 * const call = { instructions: "You book flights.", messages };
 * (await countRequest({ model: "gpt-5", ...call })).parts;
 * // => { instructions: 8, tools: 0, history: 12, media: 0, reasoning: 0 }
 * ```
 */
export async function countRequest(
  request: CountForModel<ModelRequestToCount>,
): Promise<RequestCount> {
  return countWith({ ...request, counter: counterOf(request) });
}

/**
 * Makes a middleware for the AI SDK's `wrapLanguageModel` that counts each call before it is sent and changes nothing. List it behind `fitMiddleware` to count what is sent.
 *
 * @throws `HistoryError` as {@link countRequest} does.
 *
 * @example
 * ```ts
 * import { countMiddleware } from "agent-history/ai-sdk";
 *
 * const middleware = countMiddleware({ model: "gpt-5", onCount: ({ tokens }) => console.log(tokens) });
 * // const model = wrapLanguageModel({ model: openai("gpt-5"), middleware });
 * ```
 */
export function countMiddleware(
  options: CountForModel<CountMiddlewareOptions>,
): LanguageModelMiddleware {
  return countMiddlewareWith({ ...options, counter: counterOf(options) });
}
