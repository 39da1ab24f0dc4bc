import type { HistoryEntry, ReductionPlan, Repair, ToolDefinition } from "@agent-history/core";
import {
  checkFitOptions,
  conversationMemory,
  fitWithOptions,
  readMessages,
  toolDefinition,
  toolParameters,
  viewerOf,
  writeMessages,
} from "@agent-history/format-kit";
import type { FitOptions } from "@agent-history/format-kit";
import type { LanguageModelMiddleware } from "ai";

import { writeMarked } from "./internal/mark-messages.ts";
import { REQUEST } from "./internal/model-parts.ts";
import { APPROVAL } from "./internal/write-model.ts";
import { modelFormat } from "./model-messages.ts";
import { modelTarget } from "./model-rules.ts";
import { describeTool } from "./to-tool-definitions.ts";

/** Options of {@link fitPrompt}: the reducer and the window for each call. */
export interface FitPromptOptions extends FitOptions {
  /** The plan that the first call of a conversation continues, e.g. a stored one. Default: none. */
  readonly previousPlan?: ReductionPlan | undefined;
  /** Called with each plan and its entries before the call is sent, e.g. to store or display it. */
  readonly onPlan?: ((plan: ReductionPlan, entries: readonly HistoryEntry[]) => void) | undefined;
  /**
   * Marks cache points for Claude (`providerOptions.anthropic.cacheControl`): after the instructions, at the end of the prefix that the plan reports as stable, and at the end. At most four, your own
   * marks included, which stay; the positions are the same at the next call. Other providers ignore them. Default `false`.
   */
  readonly cache?: boolean | undefined;
}

/** A prompt before it is sent, and what is sent beside it. */
export interface PromptToFit<Prompt extends readonly object[]> {
  /** The messages in the AI SDK's model interface, including instructions. */
  readonly prompt: Prompt;
  /** Tools and the schema of a structured answer, as `toToolDefinitions` returns them. Default: none. */
  readonly tools?: readonly ToolDefinition[] | undefined;
  /** The `provider` of the model, which selects its rules. Default: only what all providers refuse is repaired. */
  readonly provider?: string | undefined;
  /** Other values of the call that may contain your own marks for Claude's prompt cache: its tools, its provider options. Default: none. */
  readonly beside?: readonly unknown[] | undefined;
  /** Repairs that were made before, to be listed in the plan. Default: none. */
  readonly repairs?: readonly Repair[] | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Fits a prompt. Returns the same messages if nothing must be removed. */
export type PromptFitter = <Prompt extends readonly object[]>(
  call: PromptToFit<Prompt>,
) => Promise<Prompt>;

/**
 * Creates a function that fits a prompt in the AI SDK's model interface to a window, for frameworks with a hook before the call, such as `processLLMRequest` of Mastra. If you can wrap the model itself, use
 * `fitMiddleware`.
 *
 * Each call must pass the full conversation. The newest plans of the last 100 conversations are kept in memory, so that a prompt only grows until the window is full.
 *
 * @throws `HistoryError` with code `INVALID_OPTION` if the reducer is missing or the window is missing or invalid. The function rejects with
 * `WINDOW_TOO_SMALL` if what must be kept does not fit.
 *
 * @example
 * ```ts
 * import { fitPrompt } from "@agent-history/ai-sdk";
 * import { createReducer } from "@agent-history/reducer";
 * import { tiktokenCounter } from "@agent-history/tokens";
 *
 * const reducer = createReducer({ counter: tiktokenCounter({ model: "gpt-4o" }) });
 * const fit = fitPrompt({ reducer, window: { contextTokens: 40 } });
 * const text = (content: string) => [{ type: "text", text: content }];
 * const prompt = [
 *   { role: "user", content: text("Which flights go to Rome?") },
 *   { role: "assistant", content: text("Two, at nine and at noon. ".repeat(20)) },
 *   { role: "user", content: text("Take the first.") },
 * ];
 * await fit({ prompt });
 * // => [{ role: "user", content: [{ type: "text", text: "Take the first." }] }]
 * ```
 */
export function fitPrompt(options: FitPromptOptions): PromptFitter {
  const { agent, onPlan, previousPlan, cache = false } = checkFitOptions(options);
  const plans = conversationMemory<ReductionPlan>();
  const viewer = viewerOf(agent);
  return async <Prompt extends readonly object[]>({
    prompt,
    tools,
    provider,
    beside = [],
    repairs = [],
    signal,
  }: PromptToFit<Prompt>) => {
    const asked = withRequests(prompt);
    const all = readMessages(modelFormat, asked, { agent });
    const target = modelTarget({ provider, runnable: [] });
    const request = { tools, previousPlan: plans.find(all) ?? previousPlan, signal };
    const { entries, plan } = await fitWithOptions(options, target, all, request);
    plans.keep(all, plan);
    onPlan?.(repairs.length > 0 ? { ...plan, repairs: [...repairs, ...plan.repairs] } : plan, all);
    const came = new Map(asked.map((message, index) => [message, prompt[index]]));
    const write = (some: typeof entries): readonly object[] =>
      writeMessages(modelFormat, some, { viewer })
        .flatMap((message) => came.get(message) ?? withoutRequests(message))
        .map(inParts);
    const fitted = cache ? writeMarked(entries, plan, { write, beside }) : write(entries);
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- each message of the input is returned as a message
    return fitted as Prompt;
  };
}

/**
 * The AI SDK removes requests to approve a provider's call from a prompt, and keeps the responses. Adds the requests, so that each response has its call; returns the same prompt if a
 * field throws when it is read.
 */
function withRequests(prompt: readonly object[]): readonly object[] {
  const asked = [...prompt];
  let at = -1;
  try {
    for (const [index, message] of prompt.entries()) {
      const { role }: { readonly role?: unknown } = Object(message);
      if (role === "assistant") at = index;
      const answer = prompt[at];
      const responses = partsOf(message).filter(({ type }) => type === APPROVAL);
      if (responses.length === 0 || answer === undefined) continue;
      const parts = partsOf(answer);
      if (parts.some(({ type }) => type === REQUEST)) continue;
      const results = parts.filter(({ type }) => type === "tool-result");
      const run = new Set(results.map(({ toolCallId }) => toolCallId));
      const open = parts.filter(
        (one) => one["providerExecuted"] === true && !run.has(one["toolCallId"]),
      );
      // The calls that the provider has not run, in order.
      const requests = responses.slice(0, open.length).map(({ approvalId }, nth) => {
        return { type: REQUEST, approvalId, toolCallId: open[nth]?.["toolCallId"] };
      });
      if (requests.length > 0) asked[at] = { ...answer, content: [...parts, ...requests] };
    }
  } catch {
    return prompt;
  }
  return asked;
}

function withoutRequests(message: object): object | readonly object[] {
  const parts = partsOf(message);
  const content = parts.filter(({ type }) => type !== REQUEST);
  if (content.length === parts.length) return message;
  return content.length === 0 ? [] : { ...message, content };
}

type Part = Readonly<Record<string, unknown>>;

function partsOf(message: object): readonly Part[] {
  const { content }: { readonly content?: unknown } = Object(message);
  return Array.isArray(content) ? content.map((part: unknown) => Object(part)) : [];
}

/** Converts string content to a list of parts, which models require except for instructions. Frameworks may pass strings. */
function inParts(message: object): object {
  const { role, content } = { role: undefined, content: undefined, ...message };
  if (role === "system" || typeof content !== "string") return message;
  return { ...message, content: [{ type: "text", text: content }] };
}

/** Options of {@link fitMiddleware}: the reducer and the window for each call. */
export type FitMiddlewareOptions = FitPromptOptions;

/**
 * Creates a middleware for `wrapLanguageModel` that fits the prompt of each call to a window, for callers without `prepareStep`: workflows, agents of
 * other frameworks, a single `generateText`. Instructions, tools and the schema of a structured answer count.
 *
 * Each call must pass the full conversation, as the AI SDK's own loops do. The middleware keeps the newest plans of the last 100 conversations in memory,
 * recognized by their beginning, so that a prompt only grows until the window is full.
 *
 * @throws `HistoryError` with code `INVALID_OPTION` if the reducer is missing or the window is missing or invalid. The call rejects with
 * `WINDOW_TOO_SMALL` if what must be kept does not fit.
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
  return middlewareOf(fitPrompt(options));
}

/** Creates a middleware that fits each prompt. The plans list also repairs that were made before. */
export function middlewareOf(
  fit: PromptFitter,
  repairs: readonly Repair[] = [],
): LanguageModelMiddleware {
  return {
    specificationVersion: "v4",
    transformParams: async ({ params, model }) => {
      const { prompt, providerOptions, abortSignal: signal } = params;
      const { provider } = model ?? {};
      const tools = definitionsOf(params);
      const beside = [{ providerOptions }, params.tools];
      return { ...params, prompt: await fit({ prompt, tools, provider, beside, repairs, signal }) };
    },
  };
}

type Params = Parameters<NonNullable<LanguageModelMiddleware["transformParams"]>>[0]["params"];

/** Returns what a call sends beside its prompt, as a token counter takes it: tools and the answer's schema. */
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
  return [...definitions, toolDefinition(name, description, toolParameters(schema, name))];
}
