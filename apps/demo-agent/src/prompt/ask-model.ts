import type { Agent, FilterContext, HistoryFilter, ToolDefinition } from "@agent-history/core";

import type { ChatMessage, ChatModel, ModelReply } from "../model/chat-model.ts";
import { buildPrompt } from "./build-prompt.ts";
import type { Thread } from "./thread.ts";

/** One question to the model. */
export interface ModelQuestion {
  /** Who asks it, for the record: a planner's name, or what is written. */
  readonly step: string;
  /** What the model is told to be and how to reply; its system message. */
  readonly instructions: string;
  /** Decides what it is shown of the thread. */
  readonly historyFilter: HistoryFilter;
  readonly tools?: readonly ToolDefinition[];
}

/** Asks the model on behalf of one agent, in its place in the thread. */
export type AskModel = (question: ModelQuestion) => Promise<ModelReply>;

/** What one call of the model was shown, and how much there was. */
export interface ModelCallRecord {
  readonly turnId: string;
  readonly agent: Agent;
  readonly step: string;
  /** Where the agent stood when the prompt was built. */
  readonly context: FilterContext;
  /** The entries shown, in order. */
  readonly entryIds: readonly string[];
  readonly messages: readonly ChatMessage[];
  /** The tokens of the whole thread at this moment. */
  readonly threadTokens: number;
  /** The tokens of what was shown of it. */
  readonly shownTokens: number;
}

/** What {@link askModelFor} asks with. */
export interface ModelDesk {
  readonly model: ChatModel;
  readonly thread: Thread;
  readonly turnId: string;
  readonly onModelCall: (record: ModelCallRecord) => void;
  readonly signal?: AbortSignal;
}

/** Gives an agent its way to the model: the only one there is, so that no prompt is made elsewhere. */
export function askModelFor(agent: Agent, context: FilterContext, desk: ModelDesk): AskModel {
  const { model, thread, turnId, onModelCall, signal } = desk;
  return async ({ step, instructions, historyFilter, tools = [] }) => {
    const prompt = await buildPrompt({
      thread,
      agent,
      context,
      instructions,
      historyFilter,
      tools,
      ...(signal && { signal }),
    });
    const { messages, entryIds, shownTokens } = prompt;
    const { tokens: threadTokens } = thread;
    onModelCall({ turnId, agent, step, context, entryIds, messages, threadTokens, shownTokens });
    return model({ messages, tools, ...(signal && { signal }) });
  };
}
