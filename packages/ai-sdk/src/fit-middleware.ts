import type { ToolDefinition } from "@agent-history/core";
import { toolParameters } from "@agent-history/format-kit";
import type { LanguageModelMiddleware } from "ai";

import { fitPrompt } from "./fit-prompt.ts";
import type { FitPromptOptions } from "./fit-prompt.ts";
import { describeTool } from "./to-tool-definitions.ts";

/** What each call's prompt is made to fit, and by whom. */
export type FitMiddlewareOptions = FitPromptOptions;

/**
 * Makes a middleware for `wrapLanguageModel` that fits the prompt of each call to a window, for callers that have no `prepareStep`: workflows, agents of
 * other frameworks, a single `generateText`. Instructions, tools and the schema of a structured answer count.
 *
 * Each call must bring the whole conversation, as the AI SDK's own loops do. The middleware remembers the newest plan of the last 100 conversations,
 * known by how they begin, so that a prompt only grows until the window is full. In a loop that has `prepareStep`, use `fitStep`.
 *
 * @throws `HistoryError` with code `INVALID_OPTION` if there is no reducer or no window that can work. The call rejects with
 * `WINDOW_TOO_SMALL` where what must be kept does not fit.
 *
 * @example
 * ```ts
 * import { fitMiddleware } from "@agent-history/ai-sdk";
 * import { createReducer } from "@agent-history/reducer";
 * import { tiktokenCounter } from "@agent-history/tokens";
 * import { generateText, wrapLanguageModel } from "ai";
 * import { MockLanguageModelV4 } from "ai/test";
 *
 * const answering = new MockLanguageModelV4({
 *   doGenerate: async ({ prompt }) => ({
 *     content: [{ type: "text", text: `I was told ${prompt.length} message.` }],
 *     finishReason: { unified: "stop", raw: undefined },
 *     usage: {
 *       inputTokens: { total: 9, noCache: 9, cacheRead: 0, cacheWrite: 0 },
 *       outputTokens: { total: 5, text: 5, reasoning: 0 },
 *     },
 *     warnings: [],
 *   }),
 * });
 * const reducer = createReducer({ counter: tiktokenCounter({ model: "gpt-4o" }) });
 * const middleware = fitMiddleware({ reducer, window: { contextTokens: 40 } });
 * const model = wrapLanguageModel({ model: answering, middleware });
 *
 * const messages = [
 *   { role: "user" as const, content: "Which flights go to Rome?" },
 *   { role: "assistant" as const, content: "Two, at nine and at noon. ".repeat(20) },
 *   { role: "user" as const, content: "Take the first." },
 * ];
 * (await generateText({ model, messages })).text;
 * // => "I was told 1 message."
 * ```
 */
export function fitMiddleware(options: FitMiddlewareOptions): LanguageModelMiddleware {
  const fit = fitPrompt(options);
  return {
    specificationVersion: "v4",
    transformParams: async ({ params, model }) => {
      const { prompt, providerOptions, abortSignal: signal } = params;
      const { provider } = model ?? {};
      const tools = definitionsOf(params);
      const beside = [{ providerOptions }, params.tools];
      return { ...params, prompt: await fit({ prompt, tools, provider, beside, signal }) };
    },
  };
}

type Params = Parameters<NonNullable<LanguageModelMiddleware["transformParams"]>>[0]["params"];

/** Returns what a call sends beside its prompt, as a token counter takes it. */
export function definitionsOf({ tools = [], responseFormat }: Params): readonly ToolDefinition[] {
  const definitions = tools.map((tool) =>
    describeTool({
      name: tool.name,
      tool,
      schema: tool.type === "provider" ? undefined : tool.inputSchema,
    }),
  );
  if (responseFormat?.type !== "json" || responseFormat.schema === undefined) return definitions;
  const { name = "response", description, schema } = responseFormat;
  const format = { name, ...(description !== undefined && { description }) };
  const parameters = toolParameters(schema, name);
  return [...definitions, { ...format, ...(parameters !== undefined && { parameters }) }];
}
