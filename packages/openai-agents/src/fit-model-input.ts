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
  viewerOf,
} from "@agent-history/format-kit";
import type { FitOptions } from "@agent-history/format-kit";
import { itemsTarget } from "@agent-history/openai/items";

import type { AgentItemLike } from "./agent-item.ts";
import { fromItems } from "./from-items.ts";
import { agentFormat } from "./internal/agent-items.ts";
import { agentTools } from "./internal/agent-tools.ts";
import { itemAuthors } from "./internal/item-authors.ts";
import { toItems } from "./to-items.ts";

/** What each call's items are made to fit, and by whom. */
export interface FitModelInputOptions extends Omit<FitOptions, "agent" | "view"> {
  /**
   * The agent whose prompt it is, or a function that says it for each call, of the SDK's agent and its context. Default with `filter`: a `worker` named as the SDK's agent; otherwise nobody.
   */
  readonly agent?: Agent | ((running: RunningAgent, context: unknown) => Agent) | undefined;
  /** The view that a call's items are of, or a function that says it for each call. Default `thread`. */
  readonly view?: HistoryView | ((agent: Agent) => HistoryView) | undefined;
  /**
   * What each agent of the run is shown: `ownTraceFilter()`, or a filter of yours. Entries carry the agent that wrote them, by the calls that this filter has seen and
   * by handoffs; what another process wrote without a handoff is of nobody. Default: all is shown to all.
   */
  readonly filter?: HistoryFilter | undefined;
  /** What is sent beside the items. Default: the agent's tools, handoffs and output type, asked for at each call. */
  readonly tools?: readonly ToolDefinition[] | undefined;
  /** Called with each plan and the entries that it was made for, before its call is sent: to show it. */
  readonly onPlan?: ((plan: ReductionPlan, entries: readonly HistoryEntry[]) => void) | undefined;
}

/** The SDK's agent that makes a call. */
export interface RunningAgent {
  readonly name: string;
}

/** What a call is about to send. */
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
  /** Tells the SDK that items stay as they are, so that it does not copy the conversation at each call. */
  readonly preserveInputIdentity: true;
}

/**
 * Makes a `callModelInputFilter` for the OpenAI Agents SDK's `run()` and `Runner` that fits each call of the model to a window. It changes what the model is sent, never the items of the run or its session.
 * The agent's instructions, tools, handoffs and output type count.
 *
 * The plan of a conversation is continued at its next call, in a later run too, so that the prompt only grows until the window is full. The plans of the
 * newest 100 conversations are kept in memory, one for each agent that has a prompt of its own.
 *
 * @throws `HistoryError` with code `INVALID_OPTION` if there is no reducer or no window. The filter, and so the run, rejects with code `WINDOW_TOO_SMALL` where what must be kept does not fit.
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
  const headOf = instructionsReader();
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
    const all = [...headOf(modelData.instructions), ...shown];
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

/** Returns what a filter shows an agent: the entries themselves, which become the same items again. */
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
const MAX_INSTRUCTIONS = 100;

/** Instructions count, and the SDK sends them itself: the same text is the same entry, which stays counted. */
function instructionsReader(): (instructions: string | undefined) => readonly HistoryEntry[] {
  const known = new Map<string, HistoryEntry>();
  return (content) => {
    if (content === undefined || content === "") return [];
    const entry =
      known.get(content) ?? systemMessage({ id: INSTRUCTIONS, createdAtMs: 0, content });
    if (known.size >= MAX_INSTRUCTIONS) known.clear();
    known.set(content, entry);
    return [entry];
  };
}
