import type {
  HistoryEntry,
  ReductionPlan,
  ReductionRequest,
  ToolDefinition,
} from "@agent-history/core";
import { checkFitOptions, fitForTarget, readMessages, viewerOf } from "@agent-history/format-kit";
import type { FitOptions, MessageFormat, RepairOption } from "@agent-history/format-kit";

import { fromMessages } from "./from-messages.ts";
import { keepingMiddleware } from "./internal/keeping-middleware.ts";
import { langChainFormat } from "./internal/langchain-format.ts";
import { markedSystem, markMessages } from "./internal/mark-messages.ts";
import { langChainTarget } from "./langchain-target.ts";
import type { LangChainProvider, LangChainRuleOptions } from "./langchain-target.ts";
import { signalOf } from "./middleware.ts";
import type { HistoryMiddleware, ModelRequestLike } from "./middleware.ts";
import { toMessages } from "./to-messages.ts";
import { toToolDefinitions } from "./to-tool-definitions.ts";

/** What each call's messages are made to fit, and by whom. */
export interface FitMiddlewareOptions extends FitOptions, LangChainRuleOptions {
  /**
   * Marks where Claude caches the prompt (`cache_control`): behind the system message, where the plan says that the prompt is stable, and at the end. At most four with your own, which stay; the same
   * places at the next call. For Anthropic's models only. Default `false`.
   */
  readonly cache?: boolean | undefined;
  /** Called with each plan, before its call is sent: to show it. */
  readonly onPlan?: ((plan: ReductionPlan) => void) | undefined;
}

/**
 * Makes a middleware for LangChain's `createAgent` that fits each call of the model to a window. It changes what the model is sent, never the agent's
 * messages. The system message, the tools as the model's class converts them, and the schema of a structured answer count. The plan stands in the agent's state: with a
 * checkpointer, another process continues it, and the prompt only grows until the window is full.
 *
 * List it last, so that it sees what other middleware adds to a request.
 *
 * @throws `HistoryError` with code `INVALID_OPTION` if there is no reducer or no window. The agent rejects with LangChain's `MiddlewareError`, whose `cause` is a
 * `HistoryError` with code `WINDOW_TOO_SMALL`, where what must be kept does not fit.
 *
 * @example
 * ```ts
 * import { fitMiddleware } from "@agent-history/langchain";
 * import { createReducer } from "@agent-history/reducer";
 * import { tiktokenCounter } from "@agent-history/tokens";
 *
 * const reducer = createReducer({ counter: tiktokenCounter({ model: "gpt-4o" }) });
 * const middleware = [fitMiddleware({ reducer, window: { contextTokens: 40 } })];
 * // createAgent({ model, tools, middleware, checkpointer })
 *
 * const messages = [
 *   { role: "user", content: "Which flights go to Rome?" },
 *   { role: "assistant", content: "Two, at nine and at noon. ".repeat(20) },
 *   { role: "user", content: "Take the first." },
 * ];
 * await middleware[0]?.wrapModelCall({ messages }, async (request) => request.messages);
 * // => [{ role: "user", content: "Take the first." }]
 * ```
 */
export function fitMiddleware(options: FitMiddlewareOptions): HistoryMiddleware {
  const { reducer, window, agent, view, onPlan, provider, repair } = checkFitOptions(options);
  const { cache = false } = options;
  const viewer = viewerOf(agent);
  const stamp = agent === undefined ? {} : { agent };
  const toolsOf = toolReader();
  return keepingMiddleware<ReductionPlan>({
    name: "AgentHistoryFit",
    key: "_agentHistoryPlan",
    change: async (request, kept) => {
      const { systemMessage } = request;
      const head =
        systemMessage === undefined ? [] : readMessages(headFormat, [systemMessage], stamp);
      const said = head.filter(({ content }) => content !== undefined && content.length > 0);
      const all = [...said, ...fromMessages(request.messages, stamp)];
      const target = langChainTarget({ provider: provider ?? providerOf(request) });
      const asked: ReductionRequest & RepairOption = {
        repair,
        window,
        viewer,
        view,
        tools: await toolsOf(request),
        // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a fit looks at a plan before it continues it
        previousPlan: kept as ReductionPlan | undefined,
        signal: signalOf(request),
      };
      const { entries, plan } = await fitForTarget(target, all, asked, (some, how) =>
        reducer.reduce(some, how),
      );
      onPlan?.(plan);
      const write = (some: typeof entries): readonly object[] =>
        toMessages(
          some.filter((entry) => !isHead(entry)),
          { viewer },
        );
      const messages = write(entries);
      if (!cache) return { messages, kept: plan };
      const lengthOf = (some: typeof entries): number => write(some).length;
      const instructions = systemMessage && markedSystem(systemMessage);
      const beside = [instructions, request.tools, request.modelSettings];
      return {
        messages: markMessages(messages, entries, plan, { lengthOf, beside }),
        ...(instructions !== systemMessage && { systemMessage: instructions }),
        kept: plan,
      };
    },
  });
}

/** Returns whose API the classes of LangChain speak that say so. */
function providerOf({ model }: ModelRequestLike): LangChainProvider | undefined {
  const typeOf = fieldOf(model, "_llmType");
  const type: unknown = typeof typeOf === "function" ? Reflect.apply(typeOf, model, []) : undefined;
  if (type === "anthropic") return type;
  if (type !== "openai") return undefined;
  return fieldOf(model, "useResponsesApi") === true ? "openai-responses" : "openai-chat";
}

/** The agent's system message counts, and LangChain sends it itself. */
const headFormat: MessageFormat = {
  ...langChainFormat,
  name: "langchain-system",
  idPrefix: "system",
};

function isHead({ origin }: HistoryEntry): boolean {
  return origin?.format === headFormat.name;
}

/** Returns what a request sends beside its messages, as a token counter takes it: its tools, and the schema of a structured answer. */
type ReadTools = (request: ModelRequestLike) => Promise<readonly ToolDefinition[]>;

/** Remembers what the newest tools of each model are, so that schemas are converted once. */
function toolReader(): ReadTools {
  const known = new WeakMap<object, Known>();
  return async ({ model, tools = [], responseFormat }) => {
    const key = isObject(model) ? model : tools;
    const asked = [...tools, responseFormat];
    const before = known.get(key);
    if (before !== undefined && areSame(before.asked, asked)) return before.definitions;
    const bound = (await boundTools(model, tools)) ?? tools.filter(isObject);
    const definitions = toToolDefinitions([...bound, ...formatsOf(responseFormat)]);
    known.set(key, { asked, definitions });
    return definitions;
  };
}

interface Known {
  readonly asked: readonly unknown[];
  readonly definitions: readonly ToolDefinition[];
}

function areSame(one: readonly unknown[], other: readonly unknown[]): boolean {
  return one.length === other.length && one.every((tool, index) => tool === other[index]);
}

/** Lets the model's class convert the tools, which knows what it will send. It gives them with what it binds them to. */
async function boundTools(
  model: unknown,
  tools: readonly unknown[],
): Promise<readonly object[] | undefined> {
  if (!isObject(model) || !("bindTools" in model) || typeof model.bindTools !== "function") {
    return undefined;
  }
  try {
    const bound: unknown = await model.bindTools(tools);
    for (const holder of ["config", "kwargs", "defaultOptions"]) {
      const converted = fieldOf(fieldOf(bound, holder), "tools");
      const isWhole = Array.isArray(converted) && converted.every(isObject);
      if (isWhole && converted.length > 0) return converted;
    }
  } catch {
    // A model that takes no tools says so when it is called.
  }
  return undefined;
}

/** A structured answer is asked for by its schema, or as a tool that has it. */
function formatsOf(format: unknown): readonly object[] {
  if (Array.isArray(format)) return format.flatMap((one) => formatsOf(one));
  if (!isObject(format)) return [];
  const schema = fieldOf(format, "schema");
  const name = fieldOf(format, "name");
  return [
    { name: typeof name === "string" && name !== "" ? name : "response", schema: schema ?? format },
  ];
}

function fieldOf(value: unknown, key: string): unknown {
  return isObject(value) ? Reflect.get(value, key) : undefined;
}

function isObject(value: unknown): value is object {
  return (typeof value === "object" && value !== null) || typeof value === "function";
}
