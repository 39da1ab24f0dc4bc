import type { HistoryEntry, ReductionPlan } from "@agent-history/core";
import {
  fitForTarget,
  refuseForeign,
  refuseForeignTools,
  sendingWith,
} from "@agent-history/format-kit";
import type { TargetFormat } from "@agent-history/format-kit";
import * as openai from "@agent-history/openai";
import { fitToWindow, fitToWindowAsync } from "@agent-history/reducer";

import { counterOf, fitOptionsOf, requireOptions } from "./for-model.ts";
import type { CountForModel, FitRequestOptions } from "./for-model.ts";

// The public exports of the entry `agent-history/openai`.
export type { RequestCount } from "@agent-history/openai";
export type { CountForModel, FitRequestOptions, ModelOptions } from "./for-model.ts";
export type { ReductionPlan } from "@agent-history/core";

// Continuation requests: only the items that OpenAI has not received yet
export { continuation, sendContinuation } from "@agent-history/openai";
export type { ResponseContinuation, SentResponse } from "@agent-history/openai";

// Messages and entries, for `createHistory`
export {
  fromChatMessages,
  fromResponseItems,
  toChatMessages,
  toResponseItems,
  toToolDefinitions,
} from "@agent-history/openai";

// Reasoning that the provider dropped
export { droppedReasoning } from "@agent-history/openai";
export type { DroppedReasoning } from "@agent-history/openai";

/** Options of {@link fitChatMessages}. */
export interface FitChatOptions extends FitRequestOptions, openai.OpenAIRuleOptions {
  /** The tools of the request in the OpenAI SDK's shape. Their schemas count. */
  readonly tools?: readonly openai.OpenAITool[] | undefined;
}

/** The messages to send, and the plan for the next call. */
export interface FittedChat {
  readonly messages: openai.ChatMessage[];
  readonly plan: ReductionPlan;
}

/**
 * Trims OpenAI chat messages to the model's context window. Pass the full conversation at each call, with the plan of the previous
 * call: the prompt then only grows at its end until the window is full.
 *
 * @throws `HistoryError` with code `INVALID_OPTION` for an unknown model (pass `window` and `counter`) and for a tool of an unknown shape;
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
  messages: readonly openai.ChatMessageLike[],
  options: FitChatOptions,
): FittedChat {
  const [target, given, request] = askedOfChat(messages, options);
  const { entries, plan } = fitForTarget(target, given, request, fitToWindow);
  return { messages: openai.toChatMessages(entries, options.viewer), plan };
}

/** Like {@link fitChatMessages}, but steps and the scorer may be asynchronous. */
export async function fitChatMessagesAsync(
  messages: readonly openai.ChatMessageLike[],
  options: FitChatOptions,
): Promise<FittedChat> {
  const [target, given, request] = askedOfChat(messages, options);
  const { entries, plan } = await fitForTarget(target, given, request, fitToWindowAsync);
  return { messages: openai.toChatMessages(entries, options.viewer), plan };
}

function askedOfChat(messages: readonly openai.ChatMessageLike[], options: FitChatOptions) {
  const { tools } = requireOptions(options);
  refuseForeign(messages, "openai-chat");
  refuseForeignTools(tools, "openai-chat");
  return requestFor(openai.chatTarget(options), openai.fromChatMessages(messages), options);
}

/** Returns what to ask of `fitForTarget`. */
function requestFor(
  target: TargetFormat,
  entries: readonly HistoryEntry[],
  { tools, ...options }: FitRequestOptions & Pick<FitChatOptions, "tools">,
) {
  const definitions = tools && openai.toToolDefinitions(tools);
  return [sendingWith(target, { tools }), entries, fitOptionsOf(options, definitions)] as const;
}

/** Options of {@link fitResponseItems}. */
export interface FitResponseOptions extends FitRequestOptions, openai.OpenAIRuleOptions {
  /** The `instructions` of the request. They count; send them in the request yourself. */
  readonly instructions?: string | null | undefined;
  /** The tools of the request in the OpenAI SDK's shape. Their schemas count. */
  readonly tools?: readonly openai.OpenAITool[] | undefined;
}

/** The items to send as `input`, and the plan for the next call. */
export interface FittedResponseItems {
  readonly items: openai.ResponseItem[];
  readonly plan: ReductionPlan;
}

/**
 * Trims items of OpenAI's Responses API to the model's context window. Pass the full conversation at each call, with the plan of
 * the previous call. Items before the newest `compaction` item are not sent, because it replaces them; system messages are. Items that exist only on the
 * server (`previous_response_id`, `item_reference`) cannot be counted.
 *
 * @throws `HistoryError` with code `INVALID_OPTION` for an unknown model (pass `window` and `counter`) and for a tool of an unknown shape;
 * `WINDOW_TOO_SMALL` if what must be kept does not fit.
 *
 * @example
 * ```ts
 * import { fitResponseItems } from "agent-history/openai";
 *
 * const items = [{ role: "user", content: "To Rome, please." }];
 * const options = { model: "gpt-5", instructions: "You book flights." };
 * fitResponseItems(items, options).items;
 * // => [{ role: "user", content: "To Rome, please." }]
 * ```
 */
export function fitResponseItems(
  items: readonly openai.ResponseItemLike[],
  options: FitResponseOptions,
): FittedResponseItems {
  const [target, given, request] = askedOfItems(items, options);
  const { entries, plan } = fitForTarget(target, given, request, fitToWindow);
  return { items: openai.toResponseItems(entries, options.viewer), plan };
}

/** Like {@link fitResponseItems}, but steps and the scorer may be asynchronous. */
export async function fitResponseItemsAsync(
  items: readonly openai.ResponseItemLike[],
  options: FitResponseOptions,
): Promise<FittedResponseItems> {
  const [target, given, request] = askedOfItems(items, options);
  const { entries, plan } = await fitForTarget(target, given, request, fitToWindowAsync);
  return { items: openai.toResponseItems(entries, options.viewer), plan };
}

function askedOfItems(items: readonly openai.ResponseItemLike[], given: FitResponseOptions) {
  const { instructions, ...options } = requireOptions(given);
  refuseForeign(items, "openai-responses");
  refuseForeignTools(options.tools, "openai-responses");
  const entries = openai.sinceCompaction(openai.fromResponseItems(items, { instructions }));
  return requestFor(openai.responseTarget(options), entries, options);
}

/**
 * Counts a request of chat completions (`messages`) or of the Responses API (`input`) before it is sent, with the same counting as a fit for the model: tokens by part, bytes, images, and how much of it is an estimate. Linear.
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
export function countRequest(
  request: CountForModel<openai.OpenAIRequestToCount>,
): openai.RequestCount {
  return openai.countRequest({ ...request, counter: counterOf(request) });
}
