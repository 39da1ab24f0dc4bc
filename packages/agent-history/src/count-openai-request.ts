import { countRequest as countWith } from "@agent-history/openai";
import type { OpenAIRequestToCount, RequestCount } from "@agent-history/openai";

import { counterOf } from "./internal/model-parts.ts";
import type { CountForModel } from "./model-options.ts";

/**
 * Counts a request of chat completions (`messages`) or of the Responses API (`input`) before it is sent, by the count that a fit for the model makes: tokens by part, bytes, images, and how much of it is an estimate. Linear.
 *
 * @throws `HistoryError` with code `INVALID_OPTION` for a model without a known tokenizer: pass `counter`, or `estimate: true`.
 *
 * @example
 * ```ts
 * import { countRequest } from "agent-history/openai";
 *
 * const messages = [
 *   { role: "system", content: "You book flights." },
 *   { role: "user", content: "To Rome, please." },
 * ];
 * countRequest({ model: "gpt-5", messages }).parts;
 * // => { instructions: 8, tools: 0, history: 12, media: 0, reasoning: 0 }
 * ```
 */
export function countRequest(request: CountForModel<OpenAIRequestToCount>): RequestCount {
  return countWith({ ...request, counter: counterOf(request) });
}
