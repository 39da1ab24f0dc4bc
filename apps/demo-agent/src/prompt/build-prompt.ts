import { systemMessage } from "@agent-history/core";
import type { Agent, FilterContext, HistoryFilter, ToolDefinition } from "@agent-history/core";
import { fitToWindow } from "@agent-history/reducer";

import { answerCleaner } from "../answer/answer-cleaner.ts";
import type { ChatMessage } from "../model/chat-model.ts";
import { countTokens, counter } from "./count-tokens.ts";
import { renderMessages } from "./render-messages.ts";
import type { Thread } from "./thread.ts";

/** Whose prompt it is, and what it is made of. */
export interface PromptRequest {
  readonly thread: Thread;
  readonly agent: Agent;
  readonly context: FilterContext;
  readonly instructions: string;
  readonly historyFilter: HistoryFilter;
  readonly tools?: readonly ToolDefinition[];
  readonly signal?: AbortSignal;
}

/** What a model is shown, and what of the thread that is. */
export interface Prompt {
  readonly messages: readonly ChatMessage[];
  /** Ids of the entries shown; the instructions are not among them, as they are no part of the thread. */
  readonly entryIds: readonly string[];
  /** The tokens of these entries. */
  readonly shownTokens: number;
}

/** What a call may take, and what of it is kept free for the reply. */
const WINDOW = { contextTokens: 16_000, outputReserveTokens: 2000 };

/**
 * Builds a prompt, entries in and messages out: read what the filter asks for, narrow it, clean it, mend and fit it, render it. Every
 * prompt of every role is built here.
 */
export async function buildPrompt(request: PromptRequest): Promise<Prompt> {
  const { thread, agent, context, instructions, historyFilter, tools = [], signal } = request;
  const read = await thread.read(historyFilter.query(context), signal);
  const seen = historyFilter.refine(read, context);
  const { entries: cleaned } = answerCleaner.clean(seen);
  const system = systemMessage({
    id: `instructions-of-${agent.id}`,
    createdAtMs: 0,
    content: instructions,
    agent,
  });
  const viewer = { agentId: agent.id };
  const fit = { window: WINDOW, counter, viewer, tools };
  const { entries } = fitToWindow([system, ...cleaned], fit);
  const shown = entries.filter((entry) => entry !== system);
  return {
    messages: renderMessages(entries, viewer),
    entryIds: shown.map(({ id }) => id),
    shownTokens: countTokens(shown),
  };
}
