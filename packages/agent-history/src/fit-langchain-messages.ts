import { countRequest as countWith, fitMessages, fitMessagesAsync } from "@agent-history/langchain";
import type {
  FitMessagesOptions,
  FittedMessages,
  LangChainMessageLike,
  MessagesToCount,
  RequestCount,
} from "@agent-history/langchain";

import { counterOf } from "./internal/model-parts.ts";
import { reducerParts, syncReducerParts } from "./internal/reducer-parts.ts";
import type { HookOptions } from "./internal/reducer-parts.ts";
import type { CountForModel } from "./model-options.ts";

/** Options of {@link fitLangChainMessages}: the model, and those of `fitMessages` of `@agent-history/langchain`. */
export interface FitLangChainOptions<Message extends object = object>
  extends HookOptions, Omit<FitMessagesOptions<Message>, "reducer" | "window"> {}

/**
 * Trims LangChain's messages to the model's context window. Pass the full conversation at each call, longer each time, with the plan of the call before. A message that stays
 * as it is is the same object. `tools` count. Exported as `fitMessages`.
 *
 * @throws `HistoryError` with code `INVALID_OPTION` for an unknown model (pass `window` and `counter`) and for a tool of another shape;
 * `WINDOW_TOO_SMALL` if what must be kept does not fit.
 *
 * @example
 * ```ts
 * import { fitMessages } from "agent-history/langchain";
 *
 * const conversation = [{ role: "user", content: "To Rome, please." }]; // or messages of LangChain's classes
 * const { messages, plan } = fitMessages(conversation, { model: "gpt-5" });
 * messages;
 * // => conversation
 * // await model.invoke(messages)
 * ```
 */
export function fitLangChainMessages<Message extends LangChainMessageLike & object>(
  messages: readonly Message[],
  options: FitLangChainOptions<Message>,
): FittedMessages<Message> {
  return fitMessages(messages, { ...options, ...syncReducerParts(options) });
}

/** Like {@link fitLangChainMessages}, for steps or a scorer that may be asynchronous. */
export async function fitLangChainMessagesAsync<Message extends LangChainMessageLike & object>(
  messages: readonly Message[],
  options: FitLangChainOptions<Message>,
): Promise<FittedMessages<Message>> {
  return fitMessagesAsync(messages, { ...options, ...reducerParts(options) });
}

/**
 * Counts what a LangChain model is about to be sent before it is sent, by the count that a fit for the model makes: tokens by part, bytes, images, and how much of it is an estimate. Linear.
 *
 * @throws `HistoryError` with code `INVALID_OPTION` for a model without a known tokenizer: pass `counter`, or `estimate: true`.
 *
 * @example
 * ```ts
 * import { countRequest } from "agent-history/langchain";
 *
 * const messages = [{ role: "user", content: "To Rome, please." }];
 * countRequest({ model: "gpt-5", messages }).tokens;
 * // => 12
 * ```
 */
export function countRequest(request: CountForModel<MessagesToCount>): RequestCount {
  return countWith({ ...request, counter: counterOf(request) });
}
