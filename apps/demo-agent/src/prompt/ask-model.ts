import type {
  Agent,
  FilterContext,
  HistoryEntry,
  HistoryFilter,
  ToolDefinition,
} from "@agent-history/core";
import type { HistoryManager, ModelCallHistory } from "@agent-history/history-manager";
import type { PlannedCall } from "@agent-history/inspector";
import type { ChatModel, ModelEvent, ModelReply } from "@agent-history/offline-model";

import { withinTurn } from "../history/within-turn.ts";
import { actedSteps } from "./acted-steps.ts";
import { countTokens } from "./count-tokens.ts";
import type { ModelCallRecord } from "./model-call-record.ts";
import { renderMessages } from "./render-messages.ts";
import type { StablePrefix } from "./stable-prefix.ts";

/** One question to the model. */
export interface ModelQuestion {
  /** Who asks it, for the record: a planner's name, or what is written. */
  readonly step: string;
  /** The system message: the model's role and reply form. */
  readonly instructions: string;
  /** Decides what it is shown of the thread. */
  readonly historyFilter: HistoryFilter;
  readonly tools?: readonly ToolDefinition[];
}

/** Asks the model on behalf of one agent, in that agent's scope of the thread. */
export type AskModel = (question: ModelQuestion) => Promise<ModelReply>;

/** What {@link askModelFor} asks with. */
export interface ModelDesk {
  readonly model: ChatModel;
  readonly onModelCall: (record: ModelCallRecord) => void;
  /** The tokens of everything in the thread. */
  readonly threadTokens: () => number;
  readonly hasCleaned: (entry: HistoryEntry) => boolean;
  readonly prefix: StablePrefix;
  readonly onPlan?: (call: PlannedCall) => void;
  /** Told what happens while a model replies, and to whom. */
  readonly onModelEvent: (agent: Agent, event: ModelEvent) => void;
  readonly signal?: AbortSignal;
}

/** Returns an agent its way to the model: the only one there is, so that every prompt is built by the thread's manager. */
export function askModelFor(agent: Agent, scoped: HistoryManager, desk: ModelDesk): AskModel {
  const { model, onModelCall, onPlan, signal } = desk;
  return async ({ step, instructions, historyFilter, tools = [] }) => {
    const filter = withinTurn(historyFilter);
    const history = await scoped.historyForModelCall({
      systemMessage: instructions,
      filter,
      purpose: step,
      tools,
      ...(signal && { signal }),
    });
    const messages = renderMessages(history.entries, { agentId: agent.id });
    onModelCall(recordOf({ agent, step, scoped, messages }, history, desk));
    if (onPlan !== undefined) {
      const context = contextOf(scoped, agent);
      const view = await scoped.read(filter.query(context), { ...(signal && { signal }) });
      const entries = [...history.entries.slice(0, 1), ...filter.refine(view.entries, context)];
      onPlan({ plan: history.plan, entries, agent, purpose: step });
    }
    return model({
      messages,
      tools,
      onEvent: (event) => desk.onModelEvent(agent, event),
      ...(signal && { signal }),
    });
  };
}

type Asked = Pick<ModelCallRecord, "agent" | "step" | "messages"> & {
  readonly scoped: HistoryManager;
};

function recordOf(
  { agent, step, scoped, messages }: Asked,
  history: ModelCallHistory,
  { threadTokens, hasCleaned, prefix }: ModelDesk,
): ModelCallRecord {
  const { entries, plan } = history;
  const shown = entries.slice(1);
  const sizes = { threadTokens: threadTokens(), shownTokens: countTokens(shown) };
  const { contextTokens = Infinity, outputReserveTokens = 0 } = plan.window;
  return {
    turnId: scoped.scope.turnId ?? "",
    agent,
    step,
    context: contextOf(scoped, agent),
    entryIds: shown.map(({ id }) => id),
    messages,
    ...sizes,
    stableTokens: prefix.note(`${agent.id} ${step}`, entries),
    steps: actedSteps(history, { ...sizes, hasCleaned }),
    requestTokens: plan.totalTokens,
    windowTokens: contextTokens - outputReserveTokens,
  };
}

function contextOf({ scope }: HistoryManager, agent: Agent): FilterContext {
  const { turnId, phaseId, taskId } = scope;
  return {
    role: agent.role,
    agentId: agent.id,
    ...(turnId !== undefined && { turnId }),
    ...(phaseId !== undefined && { phaseId }),
    ...(taskId !== undefined && { taskId }),
  };
}
