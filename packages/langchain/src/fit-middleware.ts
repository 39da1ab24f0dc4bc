import { sameJson } from "@agent-history/core";
import type { HistoryEntry, Reduction, ReductionPlan, ToolDefinition } from "@agent-history/core";
import { checkFitOptions, fitWithOptions, viewerOf } from "@agent-history/format-kit";
import type { FitOptions } from "@agent-history/format-kit";

import { markedSystem, writeMarked } from "./internal/mark-messages.ts";
import { fieldOf, isObject } from "./internal/message-fields.ts";
import { langChainTarget } from "./langchain-rules.ts";
import type { LangChainProvider, LangChainRuleOptions } from "./langchain-rules.ts";
import { fromMessages, toMessages } from "./messages.ts";
import { keepingMiddleware, signalOf } from "./middleware.ts";
import type { HistoryMiddleware, ModelRequestLike } from "./middleware.ts";
import { toToolDefinitions } from "./to-tool-definitions.ts";

/** Options of {@link fitMiddleware}: the reducer and the window for each call. */
export interface FitMiddlewareOptions extends FitOptions, LangChainRuleOptions {
  /**
   * Marks cache points for Claude (`cache_control`): after the system message, at the end of the prefix that the plan reports as stable, and at the end. At most four, your own marks included, which stay; the
   * positions are the same at the next call. For Anthropic's models only. Default `false`.
   */
  readonly cache?: boolean | undefined;
  /** Called with each plan before its call is sent, e.g. to display it. */
  readonly onPlan?: ((plan: ReductionPlan) => void) | undefined;
}

/**
 * Creates a middleware for LangChain's `createAgent` that fits each model call to a window. It changes only what the model is sent, never the agent's
 * messages. The system message, the tools as the model's class converts them, and the schema of a structured answer count. The agent's state stores the length of the
 * conversation at each cut, a few hundred bytes: with a checkpointer, another process repeats the same decisions, and the prompt only grows until the window is full. Needs
 * `langchain` 1.2.20 or newer.
 *
 * List it last, so that it sees the changes that other middleware makes to a request.
 *
 * @throws `HistoryError` with code `INVALID_OPTION` if the reducer or the window is missing. The agent rejects with LangChain's `MiddlewareError`, whose `cause` is a
 * `HistoryError` with code `WINDOW_TOO_SMALL`, if what must be kept does not fit.
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
  const { agent, onPlan, provider, cache = false } = checkFitOptions(options);
  const newest = new Map<string, ReductionPlan>();
  return keepingMiddleware<Places>({
    name: "AgentHistoryFit",
    key: "_agentHistoryPlan",
    change: async (request, kept) => {
      const { systemMessage } = request;
      // LangChain sends the system message itself, unless it is empty.
      const isTold = systemMessage !== undefined && lengthOf(systemMessage.content) > 0;
      const told = isTold ? [systemMessage, ...request.messages] : request.messages;
      const all = fromMessages(told, { agent });
      const head = isTold ? all[0]?.id : undefined;
      const target = langChainTarget({ provider: provider ?? providerOf(request) });
      const tools = await toolsOf(request);
      const signal = signalOf(request);
      const fit: Fit = async (some, previousPlan) =>
        fitWithOptions(options, target, some, { tools, previousPlan, signal });
      const known = placesOf(kept);
      const stored = newest.get(known.id) ?? (await decidedAt(known.places, all, fit));
      const { entries, plan } = await decide(all, stored, fit);
      const isKept = isAppended(plan, stored);
      const made = isKept ? known : { places: [...known.places, all.length], id: plan.checksum };
      remember(newest, made.id, isKept && stored ? stored : plan);
      onPlan?.(plan);
      const write = (some: typeof entries): readonly object[] =>
        toMessages(
          some.filter(({ id }) => id !== head),
          { viewer: viewerOf(agent) },
        );
      const instructions = cache && systemMessage ? markedSystem(systemMessage) : systemMessage;
      const beside = [instructions, request.tools, request.modelSettings];
      return {
        messages: cache ? writeMarked(entries, plan, { write, beside }) : write(entries),
        kept: isKept ? undefined : made,
        ...(instructions !== systemMessage && { systemMessage: instructions }),
      };
    },
  });
}

/**
 * Stored in the agent's state: the length of the conversation at each call that did more than append. All plans can be computed from these lengths, so checkpoints need not contain a plan.
 */
interface Places {
  readonly places: readonly number[];
  /** The id of the plan of the last place. */
  readonly id: string;
}

type Fit = (
  entries: readonly HistoryEntry[],
  previousPlan: ReductionPlan | undefined,
) => Promise<Reduction>;

/** Validates the state, because a checkpointer may return anything. */
function placesOf(kept: unknown): Places {
  const { places, id }: { readonly places?: unknown; readonly id?: unknown } = Object(kept);
  const isPlace = (place: unknown): boolean => typeof place === "number" && place > 0;
  const isWhole = Array.isArray(places) && places.every(isPlace) && typeof id === "string";
  return isWhole ? { places, id } : { places: [], id: "" };
}

/** Repeats the decisions at these places, e.g. in another process. */
async function decidedAt(
  places: readonly number[],
  entries: readonly HistoryEntry[],
  fit: Fit,
): Promise<ReductionPlan | undefined> {
  let plan: ReductionPlan | undefined;
  try {
    for (const place of places) plan = (await decide(entries.slice(0, place), plan, fit)).plan;
  } catch {
    // The window may have been larger when the place was stored. If the call does not fit either, it throws itself.
  }
  return plan;
}

/** Fits a conversation. First recomputes the plan of the previous call, if messages were appended since the stored plan. */
async function decide(
  entries: readonly HistoryEntry[],
  stored: ReductionPlan | undefined,
  fit: Fit,
): Promise<Reduction> {
  const isAnswer = ({ type }: HistoryEntry): boolean =>
    type === "action" || type === "assistant_message";
  const sent = entries.slice(0, Math.max(0, entries.findLastIndex(isAnswer)));
  const decisions = Array.isArray(stored?.decisions) ? stored.decisions : [];
  const planned = decisions.reduce((sum, { entryCount }) => sum + entryCount, 0);
  const isBehind = stored !== undefined && sent.length > planned;
  return fit(entries, isBehind ? (await fit(sent, stored)).plan : stored);
}

/** Returns whether a plan only appends to the stored plan. If so, later plans can be computed from the stored one. */
function isAppended(
  { continued, head, recalls }: ReductionPlan,
  stored: ReductionPlan | undefined,
): boolean {
  const isContinued = continued !== undefined && continued.stoppedBy === undefined;
  return isContinued && sameJson([head, recalls], [stored?.head, stored?.recalls]);
}

/** Maximum number of plans in memory, one per active conversation. */
const MOST_PLANS = 100;

function remember(plans: Map<string, ReductionPlan>, id: string, plan: ReductionPlan): void {
  plans.delete(id);
  plans.set(id, plan);
  const [oldest] = plans.keys();
  if (plans.size > MOST_PLANS && oldest !== undefined) plans.delete(oldest);
}

/** Returns whose API a model's class speaks, if the class is known. */
function providerOf({ model }: ModelRequestLike): LangChainProvider | undefined {
  const typeOf = fieldOf(model, "_llmType");
  const type: unknown = typeof typeOf === "function" ? Reflect.apply(typeOf, model, []) : undefined;
  if (type === "anthropic") return type;
  if (type !== "openai") return undefined;
  return fieldOf(model, "useResponsesApi") === true ? "openai-responses" : "openai-chat";
}

function lengthOf(content: unknown): number {
  return typeof content === "string" || Array.isArray(content) ? content.length : 0;
}

/** Returns what a request sends beside its messages, as a token counter takes it: tools and the schema of a structured answer. */
async function toolsOf({
  model,
  tools = [],
  responseFormat,
}: ModelRequestLike): Promise<readonly ToolDefinition[]> {
  const bound = (await boundTools(model, tools)) ?? tools.filter(isObject);
  return toToolDefinitions([...bound, ...formatsOf(responseFormat)]);
}

/** Converts the tools with the model's class, which decides their form in the request. They are read from the bound model. */
async function boundTools(
  model: unknown,
  tools: readonly unknown[],
): Promise<readonly object[] | undefined> {
  const bind = fieldOf(model, "bindTools");
  if (typeof bind !== "function") return undefined;
  try {
    const bound: unknown = await Reflect.apply(bind, model, [tools]);
    for (const holder of ["config", "kwargs", "defaultOptions"]) {
      const converted = fieldOf(fieldOf(bound, holder), "tools");
      const isWhole = Array.isArray(converted) && converted.every(isObject);
      if (isWhole && converted.length > 0) return converted;
    }
  } catch {
    // A model that does not support tools reports that when it is called.
  }
  return undefined;
}

/** Returns the schema of a structured answer, or the tool that carries it. */
function formatsOf(format: unknown): readonly object[] {
  if (Array.isArray(format)) return format.flatMap((one) => formatsOf(one));
  if (!isObject(format)) return [];
  const schema = fieldOf(format, "schema");
  const name = fieldOf(format, "name");
  return [
    { name: typeof name === "string" && name !== "" ? name : "response", schema: schema ?? format },
  ];
}
