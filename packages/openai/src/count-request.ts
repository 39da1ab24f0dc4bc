import {
  countForTarget,
  refuseForeign,
  sendingWith,
  sinceCompaction,
} from "@agent-history/format-kit";
import type { CountOptions, RequestCount } from "@agent-history/format-kit";

import type { ChatMessageLike } from "./chat-message.ts";
import { chatTarget, fromChatMessages } from "./chat-messages.ts";
import type { OpenAIRuleOptions } from "./openai-rules.ts";
import type { ResponseItemLike } from "./response-item.ts";
import { fromResponseItems, responseTarget } from "./response-items.ts";
import { toToolDefinitions } from "./to-tool-definitions.ts";
import type { OpenAITool } from "./to-tool-definitions.ts";

/** A chat completions request, in the form of `client.chat.completions.create`. */
interface ChatRequestToCount {
  readonly messages: readonly ChatMessageLike[];
  readonly tools?: readonly OpenAITool[] | undefined;
}

/** A Responses API request, in the form of `client.responses.create`. */
interface ResponseRequestToCount {
  readonly input: readonly ResponseItemLike[];
  readonly instructions?: string | null | undefined;
  readonly tools?: readonly OpenAITool[] | undefined;
}

/** A request to count, and the counter. */
export type OpenAIRequestToCount = CountOptions &
  OpenAIRuleOptions &
  (ChatRequestToCount | ResponseRequestToCount);

/**
 * Counts a request of chat completions (`messages`) or of the Responses API (`input`) before it is sent, as a fit does: tokens by kind, bytes of its body, images. Linear.
 *
 * @throws `HistoryError` with code `INVALID_OPTION` on a tool of another shape.
 *
 * @example
 * ```ts
 * import { countRequest } from "@agent-history/openai";
 * import { tiktokenCounter } from "@agent-history/tokens";
 *
 * const counter = tiktokenCounter({ model: "gpt-4o" });
 * const messages = [
 *   { role: "system", content: "You book flights." },
 *   { role: "user", content: "To Rome, please." },
 * ];
 * countRequest({ counter, messages }).parts;
 * // => { instructions: 8, tools: 0, history: 12, media: 0, reasoning: 0 }
 * ```
 */
export function countRequest(request: OpenAIRequestToCount): RequestCount {
  const { counter, agent, tools } = request;
  const stamp = agent === undefined ? {} : { agent };
  const asked = { counter, agent, tools: tools && toToolDefinitions(tools) };
  if ("messages" in request) {
    refuseForeign(request.messages, "openai-chat");
    const target = sendingWith(chatTarget(request), { tools });
    return countForTarget(target, fromChatMessages(request.messages, stamp), asked);
  }
  refuseForeign(request.input, "openai-responses");
  const { input, instructions } = request;
  const entries = sinceCompaction(fromResponseItems(input, { ...stamp, instructions }));
  return countForTarget(sendingWith(responseTarget(request), { tools }), entries, asked);
}
