import { sameJson } from "@agent-history/core";
import type {
  HistoryEntry,
  Reduction,
  ReductionPlan,
  ReductionRequest,
  ToolDefinition,
} from "@agent-history/core";
import { checkFitOptions, fitForTarget, readMessages, viewerOf } from "@agent-history/format-kit";
import type { FitOptions, MessageFormat, RepairOption } from "@agent-history/format-kit";

import { markedSystem, writeMarked } from "./internal/mark-messages.ts";
import { fieldOf, isObject } from "./internal/message-fields.ts";
import { langChainTarget } from "./langchain-rules.ts";
import type { LangChainProvider, LangChainRuleOptions } from "./langchain-rules.ts";
import { fromMessages, langChainFormat, toMessages } from "./messages.ts";
import { keepingMiddleware, signalOf } from "./middleware.ts";
import type { HistoryMiddleware, ModelRequestLike } from "./middleware.ts";
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
 * messages. The system message, the tools as the model's class converts them, and the schema of a structured answer count. In the agent's state stands how long the
 * conversation was wherever room was made, a few hundred bytes: with a checkpointer, another process decides the same again, and the prompt only grows until the window is full. Needs
 * `langchain` 1.2.20 or newer.
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
  const newest = new Map<string, ReductionPlan>();
  return keepingMiddleware<Places>({
    name: "AgentHistoryFit",
    key: "_agentHistoryPlan",
    change: async (request, kept) => {
      const { systemMessage } = request;
      const head =
        systemMessage === undefined ? [] : readMessages(headFormat, [systemMessage], stamp);
      const said = head.filter(({ content }) => content !== undefined && content.length > 0);
      const all = [...said, ...fromMessages(request.messages, stamp)];
      const target = langChainTarget({ provider: provider ?? providerOf(request) });
      const tools = await toolsOf(request);
      const signal = signalOf(request);
      const fit: Fit = async (some, previousPlan) => {
        const asked: ReductionRequest & RepairOption = { repair, window, viewer, view, tools };
        return fitForTarget(target, some, { ...asked, previousPlan, signal }, (one, how) =>
          reducer.reduce(one, how),
        );
      };
      const known = placesOf(kept);
      const stored = newest.get(known.id) ?? (await decidedAt(known.places, all, fit));
      const { entries, plan } = await decide(all, stored, fit);
      const isKept = isAppended(plan, stored);
      const made = isKept ? known : { places: [...known.places, all.length], id: plan.checksum };
      remember(newest, made.id, isKept && stored ? stored : plan);
      onPlan?.(plan);
      const write = (some: typeof entries): readonly object[] =>
        toMessages(
          some.filter((entry) => !isHead(entry)),
          { viewer },
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
 * What stands in the agent's state: how long the conversation was at each call that did more than add what is new. All plans follow from these, so that no plan has to stand in each checkpoint.
 */
interface Places {
  readonly places: readonly number[];
  /** Names the plan of the last of them. */
  readonly id: string;
}

type Fit = (
  entries: readonly HistoryEntry[],
  previousPlan: ReductionPlan | undefined,
) => Promise<Reduction>;

/** What a checkpointer gives may be anything. */
function placesOf(kept: unknown): Places {
  const { places, id }: { readonly places?: unknown; readonly id?: unknown } = Object(kept);
  const isPlace = (place: unknown): boolean => typeof place === "number" && place > 0;
  const isWhole = Array.isArray(places) && places.every(isPlace) && typeof id === "string";
  return isWhole ? { places, id } : { places: [], id: "" };
}

/** Decides again, in another process, what was decided at these places. */
async function decidedAt(
  places: readonly number[],
  entries: readonly HistoryEntry[],
  fit: Fit,
): Promise<ReductionPlan | undefined> {
  let plan: ReductionPlan | undefined;
  try {
    for (const place of places) plan = (await decide(entries.slice(0, place), plan, fit)).plan;
  } catch {
    // What had room in an earlier window may have none now: this call says so, if it has none either.
  }
  return plan;
}

/** Fits a conversation; its call before was sent what the stored plan and what was added since make of it. */
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

/** Returns whether a plan only adds to what was decided at a place: later plans follow from the plan of that place. */
function isAppended(
  { continued, head, recalls }: ReductionPlan,
  stored: ReductionPlan | undefined,
): boolean {
  const isContinued = continued !== undefined && continued.stoppedBy === undefined;
  return isContinued && sameJson([head, recalls], [stored?.head, stored?.recalls]);
}

/** How many plans one middleware holds: one for each conversation that goes on. */
const MOST_PLANS = 100;

function remember(plans: Map<string, ReductionPlan>, id: string, plan: ReductionPlan): void {
  plans.delete(id);
  plans.set(id, plan);
  const [oldest] = plans.keys();
  if (plans.size > MOST_PLANS && oldest !== undefined) plans.delete(oldest);
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
async function toolsOf({
  model,
  tools = [],
  responseFormat,
}: ModelRequestLike): Promise<readonly ToolDefinition[]> {
  const bound = (await boundTools(model, tools)) ?? tools.filter(isObject);
  return toToolDefinitions([...bound, ...formatsOf(responseFormat)]);
}

/** Lets the model's class convert the tools, which knows what it will send. It gives them with what it binds them to. */
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
