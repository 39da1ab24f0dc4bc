import {
  countRequest as countWith,
  fitAnthropicRequest as fitWith,
  fitAnthropicRequestAsync as fitWithAsync,
} from "@agent-history/anthropic";
import type {
  AnthropicMessageLike,
  AnthropicRequestToCount,
  AnthropicTool,
  FitAnthropicOptions,
  FittedAnthropicRequest,
  RequestCount,
} from "@agent-history/anthropic";

import { counterOf } from "./internal/model-parts.ts";
import { reducerParts, syncReducerParts } from "./internal/reducer-parts.ts";
import type { HookOptions } from "./internal/reducer-parts.ts";
import type { CountForModel } from "./model-options.ts";

/** Options of {@link fitAnthropicRequest}: the model, and those of `fitAnthropicRequest` of `@agent-history/anthropic`. */
export interface FitAnthropicForModelOptions<Tool extends AnthropicTool = AnthropicTool>
  extends HookOptions, Omit<FitAnthropicOptions<Tool>, "reducer" | "window"> {}

/**
 * Trims Anthropic messages to the model's context window, as a request that the Messages API takes. Pass the full conversation at each call, longer
 * each time, with the plan of the call before. `system` and `tools` count, and come back in the request. Claude's tokens are estimated, because its tokenizer is
 * not public.
 *
 * @throws `HistoryError` with code `INVALID_OPTION` for an unknown model (pass `window` and `counter`) and for a tool of another shape;
 * `WINDOW_TOO_SMALL` if what must be kept does not fit.
 *
 * @example
 * ```ts
 * import { fitAnthropicRequest } from "agent-history/anthropic";
 *
 * const messages = [{ role: "user", content: "To Rome, please." }];
 * const options = { model: "claude-opus-5-5", system: "You book flights.", cache: {} };
 * const { request } = fitAnthropicRequest(messages, options);
 * request.messages.length;
 * // => 1
 * // client.messages.create({ model: "claude-opus-5-5", max_tokens: 8000, ...request })
 * ```
 */
export function fitAnthropicRequest<Tool extends AnthropicTool = never>(
  messages: readonly AnthropicMessageLike[],
  options: FitAnthropicForModelOptions<Tool>,
): FittedAnthropicRequest<Tool> {
  return fitWith(messages, { ...options, ...syncReducerParts(options) });
}

/** Like {@link fitAnthropicRequest}, for steps or a scorer that may be asynchronous. */
export async function fitAnthropicRequestAsync<Tool extends AnthropicTool = never>(
  messages: readonly AnthropicMessageLike[],
  options: FitAnthropicForModelOptions<Tool>,
): Promise<FittedAnthropicRequest<Tool>> {
  return fitWithAsync(messages, { ...options, ...reducerParts(options) });
}

/**
 * Counts a request of Anthropic's Messages API before it is sent, by the count that a fit for the model makes: tokens by part, bytes, images, and how much of it is an estimate. Linear.
 *
 * @throws `HistoryError` with code `INVALID_OPTION` for a model without a known tokenizer: pass `counter`, or `estimate: true`.
 *
 * @example
 * ```ts
 * import { countRequest } from "agent-history/anthropic";
 *
 * const messages = [{ role: "user", content: "To Rome, please." }];
 * const { tokens, estimate } = countRequest({ model: "claude-opus-5-5", messages });
 * // Claude's tokenizer is not public.
 * estimate?.tokens === tokens;
 * // => true
 * ```
 */
export function countRequest(request: CountForModel<AnthropicRequestToCount>): RequestCount {
  return countWith({ ...request, counter: counterOf(request) });
}
