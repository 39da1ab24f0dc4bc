import { countForTarget, readMessages } from "@agent-history/format-kit";
import type { CountOptions, RequestCount } from "@agent-history/format-kit";
import type { LanguageModelMiddleware, ModelMessage, ToolSet } from "ai";

import { definitionsOf } from "./fit-prompt.ts";
import { fromModelMessages, modelFormat } from "./model-messages.ts";
import type { Instructions } from "./model-messages.ts";
import { modelTarget } from "./model-rules.ts";
import type { ModelRuleOptions } from "./model-rules.ts";
import { toToolDefinitions } from "./to-tool-definitions.ts";

/** A call to count, in the shape of `generateText`'s options, and the counter. */
export interface ModelRequestToCount extends CountOptions, ModelRuleOptions {
  readonly messages: readonly ModelMessage[];
  readonly instructions?: Instructions | undefined;
  readonly tools?: ToolSet | undefined;
  readonly toolsContext?: object | undefined;
}

/**
 * Counts a call of the AI SDK before it is sent, with the same counting as a fit: tokens by part, bytes, images. Linear.
 *
 * @example
 * ```ts
 * import { countRequest } from "@agent-history/ai-sdk";
 * import { tiktokenCounter } from "@agent-history/tokens";
 *
 * const counter = tiktokenCounter({ model: "gpt-4o" });
 * const messages = [{ role: "user" as const, content: "To Rome, please." }];
 * (await countRequest({ counter, instructions: "You book flights.", messages })).parts;
 * // => { instructions: 8, tools: 0, history: 12, media: 0, reasoning: 0 }
 * ```
 */
export async function countRequest({
  messages,
  instructions,
  tools,
  toolsContext,
  provider,
  ...options
}: ModelRequestToCount): Promise<RequestCount> {
  const entries = fromModelMessages(messages, { agent: options.agent, instructions });
  const definitions = tools && (await toToolDefinitions(tools, { toolsContext }));
  return countForTarget(modelTarget({ provider }), entries, { ...options, tools: definitions });
}

/** Options of {@link countMiddleware}. */
export interface CountMiddlewareOptions extends CountOptions {
  /** Called with the count of each call before it is sent. An error that it throws stops the call. */
  readonly onCount: (count: RequestCount) => void;
}

/**
 * Creates a middleware for `wrapLanguageModel` that counts each call before it is sent and changes nothing. Instructions, tools and the schema of a structured answer count. List it after
 * `fitMiddleware` to count what is sent.
 *
 * @example
 * ```ts
 * import { countMiddleware } from "@agent-history/ai-sdk";
 * import { tiktokenCounter } from "@agent-history/tokens";
 * import { generateText, wrapLanguageModel } from "ai";
 * import { MockLanguageModelV4 } from "ai/test";
 *
 * const answering = new MockLanguageModelV4({
 *   doGenerate: async () => ({
 *     content: [{ type: "text", text: "Two." }],
 *     finishReason: { unified: "stop", raw: undefined },
 *     usage: {
 *       inputTokens: { total: 12, noCache: 12, cacheRead: 0, cacheWrite: 0 },
 *       outputTokens: { total: 2, text: 2, reasoning: 0 },
 *     },
 *     warnings: [],
 *   }),
 * });
 * const counts: number[] = [];
 * const counter = tiktokenCounter({ model: "gpt-4o" });
 * const middleware = countMiddleware({ counter, onCount: ({ tokens }) => counts.push(tokens) });
 * const model = wrapLanguageModel({ model: answering, middleware });
 * await generateText({ model, prompt: "To Rome, please." });
 * counts;
 * // => [12]
 * ```
 */
export function countMiddleware({
  onCount,
  ...options
}: CountMiddlewareOptions): LanguageModelMiddleware {
  return {
    specificationVersion: "v4",
    transformParams: async ({ params, model }) => {
      const entries = readMessages(modelFormat, params.prompt, { agent: options.agent });
      const target = modelTarget({ provider: model?.provider });
      onCount(countForTarget(target, entries, { ...options, tools: definitionsOf(params) }));
      return params;
    },
  };
}
