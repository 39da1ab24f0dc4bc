import * as langchain from "@agent-history/langchain";
import { fitToWindow, fitToWindowAsync } from "@agent-history/reducer";

import { counterOf, withReducer } from "./for-model.ts";
import type { CountForModel, ForModel } from "./for-model.ts";

// The public exports of the entry `agent-history/langchain`.
export type { CountForModel, ForModel, ModelOptions } from "./for-model.ts";
export type { FittedMessages, HistoryMiddleware, RequestCount } from "@agent-history/langchain";

// Stored conversations
export { messageHistory } from "@agent-history/langchain";
export type { MessageHistory, MessageHistoryOptions } from "@agent-history/langchain";

// Messages and entries, for `createHistory`
export {
  fromMessages,
  summaryMiddleware,
  tokenCounter,
  toMessages,
} from "@agent-history/langchain";

/**
 * Creates a middleware for LangChain's `createAgent` that trims each model call to the context window. The agent's messages stay unchanged; the positions of the cuts are in its
 * state, which a checkpointer saves.
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
export function fitMiddleware(
  options: ForModel<langchain.FitMiddlewareOptions>,
): langchain.HistoryMiddleware {
  return langchain.fitMiddleware(withReducer(options, fitToWindowAsync));
}

/**
 * Trims LangChain's messages to the model's context window. Pass the full conversation at each call, with the plan of the previous call. An unchanged message
 * is returned as the same object. `tools` count.
 *
 * @throws `HistoryError` with code `INVALID_OPTION` for an unknown model (pass `window` and `counter`) and for a tool of an unknown shape;
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
export function fitMessages<Message extends langchain.LangChainMessageLike & object>(
  messages: readonly Message[],
  options: ForModel<langchain.FitMessagesOptions<Message>>,
): langchain.FittedMessages<Message> {
  return langchain.fitMessages(messages, withReducer(options, fitToWindow));
}

/** Like {@link fitMessages}, but steps and the scorer may be asynchronous. */
export async function fitMessagesAsync<Message extends langchain.LangChainMessageLike & object>(
  messages: readonly Message[],
  options: ForModel<langchain.FitMessagesOptions<Message>>,
): Promise<langchain.FittedMessages<Message>> {
  return langchain.fitMessagesAsync(messages, withReducer(options, fitToWindowAsync));
}

/**
 * Counts the request of a LangChain model before it is sent, with the same counting as a fit for the model: tokens by part, bytes, images, and how much of it is an estimate. Linear.
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
export function countRequest(
  request: CountForModel<langchain.MessagesToCount>,
): langchain.RequestCount {
  return langchain.countRequest({ ...request, counter: counterOf(request) });
}
