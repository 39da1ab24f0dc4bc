import { systemMessage } from "@agent-history/core";
import type {
  Agent,
  HistoryEntry,
  HistoryFilter,
  HistoryView,
  ReductionPlan,
  ToolDefinition,
} from "@agent-history/core";
import { selectEntries } from "@agent-history/core/kit";
import {
  checkFitOptions,
  conversationMemory,
  fitForTarget,
  toJson,
  toolDefinition,
  toolParameters,
  viewerOf,
} from "@agent-history/format-kit";
import type { FitOptions } from "@agent-history/format-kit";
import { toToolDefinitions } from "@agent-history/openai";
import type { OpenAITool } from "@agent-history/openai";
import { itemsTarget } from "@agent-history/openai/items";

import { itemAuthors } from "./internal/item-authors.ts";
import { agentFormat, fromItems, toItems } from "./items.ts";
import type { AgentItemLike } from "./items.ts";

/** Options of {@link fitModelInput}: the reducer and the window for each call. */
export interface FitModelInputOptions extends Omit<FitOptions, "agent" | "view"> {
  /**
   * The agent whose prompt it is, or a function that returns it for each call, from the SDK's agent and the run's context. Default with `filter`: a `worker` named like the SDK's agent; otherwise none.
   */
  readonly agent?: Agent | ((running: RunningAgent, context: unknown) => Agent) | undefined;
  /** The view of a call's items, or a function that returns it for each call. Default `thread`. */
  readonly view?: HistoryView | ((agent: Agent) => HistoryView) | undefined;
  /**
   * Selects what each agent of the run is shown: `ownTraceFilter()`, or your own filter. Authors of entries are inferred from the calls that this filter has seen and
   * from handoffs; entries that another process wrote without a handoff have no author. Default: every agent is shown everything.
   */
  readonly filter?: HistoryFilter | undefined;
  /** The tools sent beside the items. Default: the agent's tools, handoffs and output type, read at each call. */
  readonly tools?: readonly ToolDefinition[] | undefined;
  /** Called with each plan and its entries before the call is sent, e.g. to display it. */
  readonly onPlan?: ((plan: ReductionPlan, entries: readonly HistoryEntry[]) => void) | undefined;
}

/** The SDK's agent that makes the call. */
export interface RunningAgent {
  readonly name: string;
}

/** The input of a model call. */
export interface ModelInput {
  readonly input: readonly AgentItemLike[];
  readonly instructions?: string;
}

/** A `callModelInputFilter` of the OpenAI Agents SDK. */
export interface ModelInputFilter {
  <Input extends ModelInput>(call: {
    readonly modelData: Input;
    readonly agent: unknown;
    readonly context: unknown;
  }): Promise<Input>;
  /** Tells the SDK that the filter does not change items, so that it does not copy the conversation at each call. */
  readonly preserveInputIdentity: true;
}

/**
 * Creates a `callModelInputFilter` for the OpenAI Agents SDK's `run()` and `Runner` that fits each model call to a window. It changes only what the model is sent, never the items of the run or its session.
 * The agent's instructions, tools, handoffs and output type count.
 *
 * The plan of a conversation is continued at its next call, also in a later run, so that the prompt only grows until the window is full. The plans of the
 * newest 100 conversations are kept in memory, separately for each agent with its own prompt.
 *
 * @throws `HistoryError` with code `INVALID_OPTION` if the reducer or the window is missing. The filter, and so the run, rejects with code `WINDOW_TOO_SMALL` if what must be kept does not fit.
 *
 * @example
 * ```ts
 * import { fitModelInput } from "@agent-history/openai-agents";
 * import { createReducer } from "@agent-history/reducer";
 * import { tiktokenCounter } from "@agent-history/tokens";
 *
 * const reducer = createReducer({ counter: tiktokenCounter({ model: "gpt-4o" }) });
 * const callModelInputFilter = fitModelInput({ reducer, window: { contextTokens: 40 } });
 * // await run(agent, "Take the first.", { session, callModelInputFilter });
 *
 * const content = [{ type: "output_text", text: "Two, at nine and at noon. ".repeat(20) }];
 * const input = [
 *   { role: "user", content: "Which flights go to Rome?" },
 *   { type: "message", role: "assistant", status: "completed", content },
 *   { role: "user", content: "Take the first." },
 * ];
 * await callModelInputFilter({ modelData: { input }, agent: {}, context: undefined });
 * // => { input: [{ role: "user", content: "Take the first." }] }
 * ```
 */
export function fitModelInput(options: FitModelInputOptions): ModelInputFilter {
  const { reducer, window, tools, agent, view, filter, onPlan, repair } = checkFitOptions(options);
  const plans = conversationMemory<ReductionPlan>();
  const authorsOf = itemAuthors();
  const target = itemsTarget(agentFormat);
  const agentNamed = (name: string, context: unknown): Agent =>
    typeof agent === "function" ? agent({ name }, context) : { id: name, role: "worker" };
  const modelInput = async <Input extends ModelInput>({
    modelData,
    agent: running,
    context,
  }: {
    readonly modelData: Input;
    readonly agent: unknown;
    readonly context: unknown;
  }): Promise<Input> => {
    const { name } = { name: "", ...(typeof running === "object" && running) };
    const isAsked = typeof agent === "function" || (agent === undefined && filter !== undefined);
    const who = isAsked ? agentNamed(name, context) : agent;
    const viewer = viewerOf(who);
    const said = fromItems(modelData.input, who === undefined || filter ? {} : { agent: who });
    const shown =
      filter === undefined || who === undefined
        ? said
        : shownTo(who, {
            filter,
            entries: said,
            authors: authorsOf({
              entries: said,
              running: who,
              agentNamed: (other) => agentNamed(other, context),
            }),
          });
    const all = [...instructionsOf(modelData), ...shown];
    const request = {
      window,
      viewer,
      view: typeof view === "function" ? who && view(who) : view,
      repair,
      tools: tools ?? (await agentTools(running, context)),
      previousPlan: plans.find(said, who?.id),
    };
    const { entries, plan } = await fitForTarget(target, all, request, (some, how) =>
      reducer.reduce(some, how),
    );
    plans.keep(said, plan, who?.id);
    onPlan?.(plan, all);
    const input = toItems(
      entries.filter(({ id }) => id !== INSTRUCTIONS),
      viewer,
    );
    return { ...modelData, input };
  };
  return Object.assign(modelInput, { preserveInputIdentity: true as const });
}

/** Returns the entries that a filter shows an agent, as the same objects, which become the same items again. */
function shownTo(
  { id: agentId, role }: Agent,
  {
    filter,
    entries,
    authors,
  }: {
    readonly filter: HistoryFilter;
    readonly entries: readonly HistoryEntry[];
    readonly authors: readonly (Agent | undefined)[];
  },
): readonly HistoryEntry[] {
  const context = { agentId, role };
  const authored = entries.map((entry, index): HistoryEntry => {
    const author = authors[index];
    return author === undefined ? entry : { ...entry, agent: author };
  });
  const query = filter.query(context);
  const selected = selectEntries(authored, query);
  const shown = new Set((filter.refine?.(selected, context) ?? selected).map(({ id }) => id));
  return entries.filter(({ id }) => shown.has(id));
}

const INSTRUCTIONS = "agent-instructions";

/** Returns the instructions as an entry, so that they count. The SDK sends them itself. */
function instructionsOf({ instructions: content }: ModelInput): readonly HistoryEntry[] {
  if (content === undefined || content === "") return [];
  return [systemMessage({ id: INSTRUCTIONS, createdAtMs: 0, content })];
}

/**
 * Returns what the SDK sends beside a request's items: the agent's tools (including those of MCP servers), its handoffs and its output schema.
 *
 * @param context - The run's context, passed to `isEnabled` functions of tools, as the SDK does.
 */
async function agentTools(agent: unknown, context: unknown): Promise<readonly ToolDefinition[]> {
  const runContext = { context };
  const tools = (await called(agent, "getAllTools", runContext)) ?? fieldOf(agent, "tools");
  const handoffs = await called(agent, "getEnabledHandoffs", runContext);
  const sent = [...objectsIn(tools), ...objectsIn(handoffs)].map(sentAs);
  return [...toToolDefinitions(sent), ...outputOf(fieldOf(agent, "outputType"))];
}

/** Returns the fields of a tool that are sent; the SDK's other fields only run it. */
function sentAs(tool: object): OpenAITool & Readonly<Record<string, unknown>> {
  const of = (key: string): unknown => fieldOf(tool, key);
  const type = of("type");
  const parameters = of("parameters");
  if (type === undefined) {
    const named = { name: of("toolName"), description: of("toolDescription") };
    return { type: "function", ...named, parameters: of("inputJsonSchema") };
  }
  const named = { name: of("name"), description: of("description") };
  if (type === "function") return { type: "function", ...named, parameters };
  const { type: own = type, ...options } = Object(toJson(of("providerData")));
  const about = { environment: of("environment"), dimensions: of("dimensions") };
  return { ...named, ...about, ...options, type: String(own) };
}

/** Returns the output schema: in the SDK's own form, or a schema such as zod's. */
function outputOf(outputType: unknown): readonly ToolDefinition[] {
  if (!isObject(outputType)) return [];
  const name = fieldOf(outputType, "name");
  const schema =
    fieldOf(outputType, "type") === "json_schema" ? fieldOf(outputType, "schema") : outputType;
  const parameters = toolParameters(schema, "outputType");
  const named = typeof name === "string" && name !== "" ? name : "output";
  return [toolDefinition(named, undefined, parameters)];
}

async function called(agent: unknown, method: string, context: object): Promise<unknown> {
  const work = fieldOf(agent, method);
  return typeof work === "function" ? Reflect.apply(work, agent, [context]) : undefined;
}

function objectsIn(list: unknown): readonly object[] {
  return Array.isArray(list) ? list.filter(isObject) : [];
}

function fieldOf(value: unknown, key: string): unknown {
  return isObject(value) ? Reflect.get(value, key) : undefined;
}

function isObject(value: unknown): value is object {
  return (typeof value === "object" && value !== null) || typeof value === "function";
}
