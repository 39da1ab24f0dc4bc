import type { ReductionPlan } from "@agent-history/core";
import {
  fitForTarget,
  refuseForeign,
  refuseForeignTools,
  sendingWith,
} from "@agent-history/format-kit";
import {
  chatTarget,
  fromChatMessages,
  toChatMessages,
  toToolDefinitions,
} from "@agent-history/openai";
import type {
  ChatMessage,
  ChatMessageLike,
  OpenAIRuleOptions,
  OpenAITool,
} from "@agent-history/openai";
import { fitToWindow, fitToWindowAsync } from "@agent-history/reducer";

import type { FitRequestOptions } from "./fit-request-options.ts";
import { fitOptionsOf, requireOptions } from "./internal/fit-options-of.ts";

/** Options of {@link fitChatMessages}. */
export interface FitChatOptions extends FitRequestOptions, OpenAIRuleOptions {
  /** The tools of the request, as the OpenAI SDK takes them: their schemas count. */
  readonly tools?: readonly OpenAITool[] | undefined;
}

/** What to send, and the plan for the next call. */
export interface FittedChat {
  readonly messages: ChatMessage[];
  readonly plan: ReductionPlan;
}

/**
 * Trims OpenAI chat messages to the model's context window. Pass the full conversation at each call, longer each time, with the plan of the call
 * before: the prompt then only grows at its end until the window is full.
 *
 * @throws `HistoryError` with code `INVALID_OPTION` for an unknown model (pass `window` and `counter`) and for a tool of another shape;
 * `WINDOW_TOO_SMALL` if what must be kept does not fit.
 *
 * @example
 * ```ts
 * import { fitChatMessages } from "agent-history/openai";
 *
 * const conversation = [
 *   { role: "user", content: "What is the capital of France?" },
 *   { role: "assistant", content: "Paris. ".repeat(4000) },
 *   { role: "user", content: "And of Spain?" },
 * ];
 * const { plan } = fitChatMessages(conversation, { model: "gpt-4" });
 * plan.totalTokens <= 8192 - 2048;
 * // => true
 * ```
 */
export function fitChatMessages(
  messages: readonly ChatMessageLike[],
  given: FitChatOptions,
): FittedChat {
  const { tools, host, ...options } = requireOptions(given);
  refuseForeign(messages, "openai-chat");
  refuseForeignTools(tools, "openai-chat");
  const fit = fitOptionsOf(options, tools && toToolDefinitions(tools));
  const { entries, plan } = fitForTarget(
    sendingWith(chatTarget({ host }), { tools }),
    fromChatMessages(messages),
    fit,
    fitToWindow,
  );
  return { messages: toChatMessages(entries, options.viewer), plan };
}

/** Like {@link fitChatMessages}, for steps or a scorer that may be asynchronous. */
export async function fitChatMessagesAsync(
  messages: readonly ChatMessageLike[],
  given: FitChatOptions,
): Promise<FittedChat> {
  const { tools, host, ...options } = requireOptions(given);
  refuseForeign(messages, "openai-chat");
  refuseForeignTools(tools, "openai-chat");
  const fit = fitOptionsOf(options, tools && toToolDefinitions(tools));
  const { entries, plan } = await fitForTarget(
    sendingWith(chatTarget({ host }), { tools }),
    fromChatMessages(messages),
    fit,
    fitToWindowAsync,
  );
  return { messages: toChatMessages(entries, options.viewer), plan };
}
