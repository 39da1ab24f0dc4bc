import * as sdk from "@agent-history/ai-sdk";
import type { ReductionPlan, ToolDefinition } from "@agent-history/core";
import { fitForTarget, refuseForeign } from "@agent-history/format-kit";
import { fitToWindow, fitToWindowAsync } from "@agent-history/reducer";
import type { LanguageModelMiddleware, ModelMessage, ToolSet } from "ai";

import { counterOf, fitOptionsOf, requireOptions, withReducer } from "./for-model.ts";
import type { CountForModel, FitRequestOptions, ForModel } from "./for-model.ts";

// The public exports of the entry `agent-history/ai-sdk`.
export type { RequestCount } from "@agent-history/ai-sdk";
export type { CountForModel, FitRequestOptions, ForModel, ModelOptions } from "./for-model.ts";
export type { ReductionPlan } from "@agent-history/core";

// Stored chats
export { chatStore } from "@agent-history/ai-sdk";
export type { ChatBranch, ChatStore, StoredChat } from "@agent-history/ai-sdk";

// Messages and entries, for `createHistory`
export {
  aiSdkSummaryModel,
  fromModelMessages,
  fromUIMessages,
  toModelMessages,
  toToolDefinitions,
  toToolSet,
  toUIMessages,
} from "@agent-history/ai-sdk";

// Reasoning that the provider dropped
export { droppedReasoning } from "@agent-history/ai-sdk";
export type { DroppedReasoning } from "@agent-history/ai-sdk";

/** Options of {@link fitModelMessages}. */
export interface FitModelMessagesOptions extends FitRequestOptions, sdk.ModelRuleOptions {
  /** The `instructions` of the call. They count; the call sends them itself. */
  readonly instructions?: sdk.Instructions | undefined;
  /** The `tools` of the call: their schemas count. */
  readonly tools?: ToolSet | undefined;
  /** The `toolsContext` of the call, passed to descriptions that are functions, so that their text counts. */
  readonly toolsContext?: object | undefined;
}

/** The messages to send, and the plan for the next call. */
export interface FittedModelMessages {
  readonly messages: ModelMessage[];
  readonly plan: ReductionPlan;
}

/**
 * Trims the AI SDK's model messages to the model's context window. Pass the full conversation at each call, with the plan of the
 * previous call. Inside a tool loop, use `fitStep` as its `prepareStep`.
 *
 * @throws `HistoryError` with code `INVALID_OPTION` for an unknown model (pass `window` and `counter`) and for a tool whose input schema
 * cannot be read synchronously; `WINDOW_TOO_SMALL` if what must be kept does not fit.
 *
 * @example
 * ```ts
 * import { fitModelMessages } from "agent-history/ai-sdk";
 *
 * const messages = [
 *   { role: "user" as const, content: "What is the capital of France?" },
 *   { role: "assistant" as const, content: "Paris. ".repeat(4000) },
 *   { role: "user" as const, content: "And of Spain?" },
 * ];
 * const { plan } = fitModelMessages(messages, { model: "gpt-4", instructions: "Be brief." });
 * plan.totalTokens <= 8192 - 2048;
 * // => true
 * ```
 */
export function fitModelMessages(
  messages: readonly ModelMessage[],
  given: FitModelMessagesOptions,
): FittedModelMessages {
  const { tools, toolsContext, viewer } = requireOptions(given);
  const definitions = tools && sdk.toToolDefinitionsSync(tools, { toolsContext });
  const [target, log, request] = requestFor(messages, given, definitions);
  const { entries, plan } = fitForTarget(target, log, request, fitToWindow);
  return { messages: sdk.toModelMessages(entries, viewer), plan };
}

/** Like {@link fitModelMessages}, but schemas, steps and the scorer may be asynchronous. Needs the package `ai` if there are tools. */
export async function fitModelMessagesAsync(
  messages: readonly ModelMessage[],
  given: FitModelMessagesOptions,
): Promise<FittedModelMessages> {
  const { tools, toolsContext, viewer } = requireOptions(given);
  const definitions = tools && (await sdk.toToolDefinitions(tools, { toolsContext }));
  const [target, log, request] = requestFor(messages, given, definitions);
  const { entries, plan } = await fitForTarget(target, log, request, fitToWindowAsync);
  return { messages: sdk.toModelMessages(entries, viewer), plan };
}

/** Returns what to ask of `fitForTarget`. */
function requestFor(
  messages: readonly ModelMessage[],
  { tools: _, toolsContext: __, instructions, provider, ...options }: FitModelMessagesOptions,
  definitions: readonly ToolDefinition[] | undefined,
) {
  refuseForeign(messages, "ai-sdk");
  const entries = sdk.fromModelMessages(messages, { instructions });
  const target = sdk.modelTarget({ provider, runnable: definitions?.map(({ name }) => name) });
  return [target, entries, fitOptionsOf(options, definitions)] as const;
}

/**
 * Creates a middleware for the AI SDK's `wrapLanguageModel` that trims the prompt of each call to the model's context window, for callers without
 * `prepareStep`.
 *
 * @throws `HistoryError` with code `INVALID_OPTION` for an unknown model: pass `window` and `counter`.
 *
 * @example
 * ```ts
 * import { fitMiddleware } from "agent-history/ai-sdk";
 *
 * const middleware = fitMiddleware({ model: "gpt-5" });
 * // const model = wrapLanguageModel({ model: openai("gpt-5"), middleware });
 * ```
 */
export function fitMiddleware(
  options: ForModel<sdk.FitMiddlewareOptions>,
): LanguageModelMiddleware {
  return sdk.fitMiddleware(withReducer(options, fitToWindowAsync));
}

/**
 * Creates a function that trims a prompt in the AI SDK's model interface to the model's context window, for frameworks with a hook before the call, such as Mastra's
 * `processLLMRequest`.
 *
 * @throws `HistoryError` with code `INVALID_OPTION` for an unknown model: pass `window` and `counter`.
 *
 * @example
 * ```ts
 * import { fitPrompt } from "agent-history/ai-sdk";
 *
 * const fit = fitPrompt({ model: "gpt-5" });
 * // processLLMRequest: async ({ prompt }) => ({ prompt: await fit({ prompt }) })
 * ```
 */
export function fitPrompt(options: ForModel<sdk.FitPromptOptions>): sdk.PromptFitter {
  return sdk.fitPrompt(withReducer(options, fitToWindowAsync));
}

/**
 * Creates a `prepareStep` that trims each step of the AI SDK's tool loop to the model's context window.
 *
 * @throws `HistoryError` with code `INVALID_OPTION` for an unknown model: pass `window` and `counter`.
 *
 * @example
 * ```ts
 * import { fitStep } from "agent-history/ai-sdk";
 *
 * const prepareStep = fitStep({ model: "gpt-5" });
 * // generateText({ model: openai("gpt-5"), messages, tools, prepareStep })
 * ```
 */
export function fitStep(options: ForModel<sdk.FitMiddlewareOptions>): sdk.FitStep {
  return sdk.fitStep(withReducer(options, fitToWindowAsync));
}

/**
 * Counts a call of the AI SDK before it is sent, with the same counting as a fit for the model: tokens by part, bytes, images, and how much of it is an estimate. Linear.
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
  request: CountForModel<sdk.ModelRequestToCount>,
): Promise<sdk.RequestCount> {
  return sdk.countRequest({ ...request, counter: counterOf(request) });
}

/**
 * Creates a middleware for the AI SDK's `wrapLanguageModel` that counts each call before it is sent and changes nothing. List it after `fitMiddleware` to count what is sent.
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
  options: CountForModel<sdk.CountMiddlewareOptions>,
): LanguageModelMiddleware {
  return sdk.countMiddleware({ ...options, counter: counterOf(options) });
}
