import { mendHistory, systemMessage } from "@agent-history/core";
import type { Agent, FilterContext, HistoryFilter } from "@agent-history/core";

import { answerCleaner } from "../answer/answer-cleaner.ts";
import type { ChatMessage } from "../model/chat-model.ts";
import { estimateTokens } from "./estimate-tokens.ts";
import { renderMessages } from "./render-messages.ts";
import type { Thread } from "./thread.ts";

/** Whose prompt it is, and what it is made of. */
export interface PromptRequest {
  readonly thread: Thread;
  readonly agent: Agent;
  readonly context: FilterContext;
  readonly instructions: string;
  readonly historyFilter: HistoryFilter;
  readonly signal?: AbortSignal;
}

/** What a model is shown, and what of the thread that is. */
export interface Prompt {
  readonly messages: readonly ChatMessage[];
  /** Ids of the entries shown; the instructions are not among them, as they are no part of the thread. */
  readonly entryIds: readonly string[];
  /** An estimate for these entries. */
  readonly shownTokens: number;
}

/**
 * Builds a prompt, entries in and messages out: read what the filter asks for, narrow it, clean it, mend it, render it. Every prompt of
 * every role is built here; a reducer will stand before the rendering.
 */
export async function buildPrompt(request: PromptRequest): Promise<Prompt> {
  const { thread, agent, context, instructions, historyFilter, signal } = request;
  const read = await thread.read(historyFilter.query(context), signal);
  const seen = historyFilter.refine(read, context);
  const { entries: cleaned } = answerCleaner.clean(seen);
  const { entries: shown } = mendHistory(cleaned);
  const system = systemMessage({
    id: `instructions-of-${agent.id}`,
    createdAtMs: 0,
    content: instructions,
    agent,
  });
  return {
    messages: renderMessages([system, ...shown], { agentId: agent.id }),
    entryIds: shown.map(({ id }) => id),
    shownTokens: estimateTokens(shown),
  };
}
