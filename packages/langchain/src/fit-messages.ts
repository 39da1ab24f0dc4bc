import type { Reduction, ReductionPlan } from "@agent-history/core";
import {
  checkFitOptions,
  countForTarget,
  fitWithOptions,
  refuseForeign,
  requireSync,
  viewerOf,
} from "@agent-history/format-kit";
import type {
  CountOptions,
  FitOptions,
  RequestCount,
  SyncReducer,
} from "@agent-history/format-kit";

import { writeMarked } from "./internal/mark-messages.ts";
import { langChainTarget } from "./langchain-rules.ts";
import type { LangChainRuleOptions } from "./langchain-rules.ts";
import { fromMessages, toMessages } from "./messages.ts";
import type { LangChainMessageLike, ToMessagesOptions } from "./messages.ts";
import { toToolDefinitions } from "./to-tool-definitions.ts";

/** Options of {@link fitMessagesAsync}: the reducer, the window, and the request around the messages. */
export interface FitMessagesOptions<Message extends object = object>
  extends FitOptions, LangChainRuleOptions, Pick<ToMessagesOptions<Message>, "toMessage"> {
  /** The tools that are bound to the model. Their schemas count. Default: none. */
  readonly tools?: readonly object[] | undefined;
  /**
   * Marks cache points for Claude (`cache_control`): after the system message, at the end of the prefix that the plan reports as stable, and at the end. At most four, your own marks included, which stay; the
   * positions are the same at the next call. For Anthropic's models only. Default `false`.
   */
  readonly cache?: boolean | undefined;
  /** The plan of the previous call. */
  readonly previousPlan?: ReductionPlan | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Options of {@link fitMessages}, whose reducer is synchronous. */
export interface FitMessagesSyncOptions<
  Message extends object = object,
> extends FitMessagesOptions<Message> {
  /** The synchronous reducer: `{ name, reduce: (entries, request) => fitToWindow(entries, { counter, ...request }) }`. */
  readonly reducer: SyncReducer;
}

/** The messages to send, and the plan for the next call. */
export interface FittedMessages<Message extends object = object> {
  readonly messages: Message[];
  readonly plan: ReductionPlan;
}

/**
 * Fits a conversation to the context window. Pass the full conversation at each call, with the plan of the previous call: the prompt
 * then only grows at its end until the window is full. Tools count. An unchanged message is returned as the same object. Linear in the new messages.
 *
 * @throws `HistoryError` with code `INVALID_OPTION` if the reducer or the window is missing, if the reducer returns a promise, and for a tool of an unknown shape;
 * `WINDOW_TOO_SMALL` if what must be kept does not fit.
 *
 * @example
 * ```ts
 * import { fitMessages } from "@agent-history/langchain";
 * import { fitToWindow } from "@agent-history/reducer";
 * import { tiktokenCounter } from "@agent-history/tokens";
 *
 * const counter = tiktokenCounter({ model: "gpt-4o" });
 * const messages = [
 *   { role: "user", content: "Which flights go to Rome?" },
 *   { role: "assistant", content: "Two, at nine and at noon. ".repeat(20) },
 *   { role: "user", content: "Take the first." },
 * ];
 * const { messages: fitted, plan } = fitMessages(messages, {
 *   reducer: { name: "own", reduce: (entries, asked) => fitToWindow(entries, { counter, ...asked }) },
 *   window: { contextTokens: 40 },
 * });
 * fitted;
 * // => [{ role: "user", content: "Take the first." }]
 * plan.totalTokens <= 40;
 * // => true
 * ```
 */
export function fitMessages<Message extends LangChainMessageLike & object>(
  messages: readonly Message[],
  options: FitMessagesSyncOptions<Message>,
): FittedMessages<Message> {
  return fitted(requireSync(fit(messages, options), "fitMessagesAsync"), options);
}

/** Like {@link fitMessages}, but the reducer may be asynchronous, such as `createReducer({ counter })`. */
export async function fitMessagesAsync<Message extends LangChainMessageLike & object>(
  messages: readonly Message[],
  options: FitMessagesOptions<Message>,
): Promise<FittedMessages<Message>> {
  return fitted(await fit(messages, options), options);
}

function fit(
  messages: readonly LangChainMessageLike[],
  options: Omit<FitMessagesOptions, "toMessage">,
): Reduction | Promise<Reduction> {
  const { tools, agent, previousPlan, signal } = checkFitOptions(options);
  refuseForeign(messages, "langchain");
  const entries = fromMessages(messages, { agent });
  const asked = { tools: tools && toToolDefinitions(tools), previousPlan, signal };
  return fitWithOptions(options, langChainTarget(options), entries, asked);
}

/** Messages to count, the tools that are bound to their model, and the counter. */
export interface MessagesToCount extends CountOptions, LangChainRuleOptions {
  readonly messages: readonly LangChainMessageLike[];
  /** The tools that are bound to the model. Default: none. */
  readonly tools?: readonly object[] | undefined;
}

/**
 * Counts a model's request before it is sent, with the same counting as {@link fitMessages}: tokens by part, bytes, images. Linear.
 *
 * @throws `HistoryError` with code `INVALID_OPTION` for a tool of an unknown shape.
 *
 * @example
 * ```ts
 * import { countRequest } from "@agent-history/langchain";
 * import { tiktokenCounter } from "@agent-history/tokens";
 *
 * const counter = tiktokenCounter({ model: "gpt-4o" });
 * const messages = [{ role: "user", content: "Take the first." }];
 * countRequest({ counter, messages }).tokens;
 * // => 11
 * ```
 */
export function countRequest({
  counter,
  messages,
  tools,
  agent,
  ...rules
}: MessagesToCount): RequestCount {
  refuseForeign(messages, "langchain");
  const entries = fromMessages(messages, { agent });
  const definitions = tools && toToolDefinitions(tools);
  return countForTarget(langChainTarget(rules), entries, { counter, agent, tools: definitions });
}

function fitted<Message extends object>(
  { entries, plan }: Reduction,
  { agent, toMessage, tools, cache = false }: FitMessagesOptions<Message>,
): FittedMessages<Message> {
  const viewer = viewerOf(agent);
  const write = (some: typeof entries): Message[] => toMessages(some, { viewer, toMessage });
  const sent = cache ? writeMarked(entries, plan, { write, beside: [tools] }) : write(entries);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a marked message is of the same class
  return { messages: sent as Message[], plan };
}
