import { systemMessage } from "@agent-history/core";
import type { HistoryEntry, ReductionPlan, ToolDefinition } from "@agent-history/core";
import { checkFitOptions, fitForTarget, planMemory, viewerOf } from "@agent-history/format-kit";
import type { FitOptions } from "@agent-history/format-kit";
import { itemsTarget } from "@agent-history/openai/items";

import type { AgentItemLike } from "./agent-item.ts";
import { fromItems } from "./from-items.ts";
import { agentFormat } from "./internal/agent-items.ts";
import { agentTools } from "./internal/agent-tools.ts";
import { toItems } from "./to-items.ts";

/** What each call's items are made to fit, and by whom. */
export interface FitModelInputOptions extends FitOptions {
  /** What is sent beside the items. Default: the agent's tools, handoffs and output type, asked for at each call. */
  readonly tools?: readonly ToolDefinition[] | undefined;
  /** Called with each plan and the entries that it was made for, before its call is sent: to show it. */
  readonly onPlan?: ((plan: ReductionPlan, entries: readonly HistoryEntry[]) => void) | undefined;
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
 * The plan of a conversation is continued at its next call, in a later run too, so that the prompt only grows until the window is full. A conversation is known by its first item; the plans of the
 * newest 100 are kept in memory.
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
  const { reducer, window, tools, agent: who, view, onPlan, repair } = checkFitOptions(options);
  const viewer = viewerOf(who);
  const stamp = who === undefined ? {} : { agent: who };
  const plans = planMemory();
  const target = itemsTarget(agentFormat);
  const headOf = instructionsReader();
  const filter = async <Input extends ModelInput>({
    modelData,
    agent,
    context,
  }: {
    readonly modelData: Input;
    readonly agent: unknown;
    readonly context: unknown;
  }): Promise<Input> => {
    const said = fromItems(modelData.input, stamp);
    const opening = said[0]?.id ?? "";
    const all = [...headOf(modelData.instructions), ...said];
    const request = {
      window,
      viewer,
      view,
      repair,
      tools: tools ?? (await agentTools(agent, context)),
      previousPlan: plans.find(opening),
    };
    const { entries, plan } = await fitForTarget(target, all, request, (some, how) =>
      reducer.reduce(some, how),
    );
    plans.keep(opening, plan);
    onPlan?.(plan, all);
    const input = toItems(
      entries.filter(({ id }) => id !== INSTRUCTIONS),
      viewer,
    );
    return { ...modelData, input };
  };
  return Object.assign(filter, { preserveInputIdentity: true as const });
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
