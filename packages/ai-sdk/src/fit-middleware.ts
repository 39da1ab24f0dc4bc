import type {
  Agent,
  HistoryEntry,
  HistoryView,
  ModelWindow,
  Reducer,
  ReductionPlan,
  ToolDefinition,
  Viewer,
} from "@agent-history/core";
import {
  checkFitOptions,
  readMessages,
  toolParameters,
  writeMessages,
} from "@agent-history/format-kit";
import type { LanguageModelMiddleware } from "ai";

import { describeTool } from "./internal/describe-tool.ts";
import { modelFormat } from "./internal/model-format.ts";

/** What each call's prompt is made to fit, and by whom. */
export interface FitMiddlewareOptions {
  /** Makes room: `createReducer({ counter })` of `@agent-history/reducer`, or your own. */
  readonly reducer: Reducer;
  /** What the model can take, in tokens. */
  readonly window: ModelWindow;
  /** The agent whose calls they are. */
  readonly agent?: Agent | undefined;
  /** The view that the prompts are of. Default `thread`. */
  readonly view?: HistoryView | undefined;
  /** Called with each plan and the entries that it was made for, before its call is sent: to store it, or to show it. */
  readonly onPlan?: ((plan: ReductionPlan, entries: readonly HistoryEntry[]) => void) | undefined;
}

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
  const { reducer, window, agent, view, onPlan } = checkFitOptions(options);
  const plans = new Map<string, ReductionPlan>();
  const viewer: Viewer = agent === undefined ? {} : { agentId: agent.id };
  const stamp = agent === undefined ? {} : { agent };
  return {
    specificationVersion: "v4",
    transformParams: async ({ params }) => {
      const all = readMessages(modelFormat, params.prompt, stamp);
      const opening = openingOf(all);
      const { entries, plan } = await reducer.reduce(all, {
        window,
        viewer,
        view,
        tools: definitionsOf(params),
        previousPlan: plans.get(opening),
        signal: params.abortSignal,
      });
      remember(plans, opening, plan);
      onPlan?.(plan, all);
      const prompt = writeMessages(modelFormat, entries, { viewer }).map(inParts);
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what came in as a message goes out as one
      return { ...params, prompt: prompt as Params["prompt"] };
    },
  };
}

type Params = Parameters<NonNullable<LanguageModelMiddleware["transformParams"]>>[0]["params"];

/** As many conversations as a process has at a time; the plan of another is made again. */
const MOST_PLANS = 100;

function remember(plans: Map<string, ReductionPlan>, opening: string, plan: ReductionPlan): void {
  plans.delete(opening);
  plans.set(opening, plan);
  const [oldest] = plans.keys();
  if (plans.size > MOST_PLANS && oldest !== undefined) plans.delete(oldest);
}

/** A conversation is known by its first request: ids come from position and text. */
function openingOf(entries: readonly HistoryEntry[]): string {
  return entries.find(({ type }) => type !== "system_message")?.id ?? "";
}

/** Returns what a call sends beside its prompt, as a token counter takes it. */
function definitionsOf({ tools = [], responseFormat }: Params): readonly ToolDefinition[] {
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

/** Models take lists of parts, but for instructions; what came from elsewhere may be one text. */
function inParts(message: object): object {
  const { role, content } = { role: undefined, content: undefined, ...message };
  if (role === "system" || typeof content !== "string") return message;
  return { ...message, content: [{ type: "text", text: content }] };
}
