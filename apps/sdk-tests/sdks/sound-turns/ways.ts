import { createCompressor, tokensExceed } from "@agent-history/compression";
import { fitMiddleware, summaryMiddleware, tokenCounter } from "@agent-history/langchain";
import { createReducer } from "@agent-history/reducer";
import { tiktokenCounter } from "@agent-history/tokens";
import { RemoveMessage, trimMessages } from "@langchain/core/messages";
import { REMOVE_ALL_MESSAGES } from "@langchain/langgraph";
import type { ChatOpenAI } from "@langchain/openai";
import {
  ClearToolUsesEdit,
  contextEditingMiddleware,
  createMiddleware,
  summarizationMiddleware,
} from "langchain";
import type { AgentMiddleware } from "langchain";

/** How much a request may hold, in tokens. */
export const contextTokens = 8000;

/** Exact, and LangChain's functions are given it wherever they take one. */
export const counter = tiktokenCounter({ encoding: "o200k_base" });

/** Where LangChain's own ways are to begin: three quarters of the window. */
const trigger = { tokens: 6000 };

/** Makes the middleware of one conversation; `model` writes summaries. */
export type Way = (model: ChatOpenAI) => readonly AgentMiddleware[];

const fit = (): AgentMiddleware =>
  fitMiddleware({ reducer: createReducer({ counter }), window: { contextTokens } });

/** LangChain's ways, as its documentation shows them. */
export const theirs: Readonly<Record<string, Way>> = {
  "no middleware": () => [],
  "summarizationMiddleware, keeps 20 messages": (model) => [summarization(model, { messages: 20 })],
  "summarizationMiddleware, keeps 3000 tokens": (model) => [summarization(model, { tokens: 3000 })],
  "trimMessages, startOn human": () => [trimming({ startOn: "human" })],
  "trimMessages, endOn human or tool": () => [
    trimming({ startOn: "human", endOn: ["human", "tool"] }),
  ],
  "trimMessages, without startOn": () => [trimming({})],
  "contextEditingMiddleware, keeps 3 results": () => [editing({ messages: 3 })],
  "contextEditingMiddleware, keeps 3000 tokens": () => [editing({ tokens: 3000 })],
};

/** Ours. */
export const ours: Readonly<Record<string, Way>> = {
  fitMiddleware: () => [fit()],
  "summaryMiddleware and fitMiddleware": () => {
    const when = { counter, trigger: tokensExceed(6000), tailTokens: 3000 };
    return [summaryMiddleware({ compressor: createCompressor(when) }), fit()];
  },
};

type Size = { messages: number } | { tokens: number };

function summarization(model: ChatOpenAI, keep: Size): AgentMiddleware {
  const options = { model, trigger, keep, tokenCounter: tokenCounter(counter) };
  // Its declarations do not hold under exactOptionalPropertyTypes.
  return Reflect.apply(summarizationMiddleware, undefined, [options]);
}

function editing(keep: Size): AgentMiddleware {
  const edits = [new ClearToolUsesEdit({ trigger, keep })];
  return Reflect.apply(contextEditingMiddleware, undefined, [{ edits }]);
}

/** As in LangChain's guide to short-term memory: before each call, the agent's messages become those that fit. */
function trimming(options: Partial<Parameters<typeof trimMessages>[1]>): AgentMiddleware {
  return createMiddleware({
    name: "TrimMessages",
    beforeModel: async ({ messages }) => {
      const trimmed = await trimMessages(messages, {
        maxTokens: trigger.tokens,
        strategy: "last",
        tokenCounter: tokenCounter(counter),
        ...options,
      });
      return { messages: [new RemoveMessage({ id: REMOVE_ALL_MESSAGES }), ...trimmed] };
    },
  });
}
