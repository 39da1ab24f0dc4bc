import { createCompressor, messagesExceed } from "@agent-history/compression";
import type { ReductionPlan } from "@agent-history/core";
import { fitMiddleware, summaryMiddleware } from "@agent-history/langchain";
import { createReducer } from "@agent-history/reducer";
import { lexicalScorer } from "@agent-history/reducer/lexical";
import { tiktokenCounter } from "@agent-history/tokens";
import type { BaseMessage } from "@langchain/core/messages";
import { Command, MemorySaver } from "@langchain/langgraph";
import { ChatOpenAI } from "@langchain/openai";
import { createAgent, humanInTheLoopMiddleware, tool } from "langchain";
import { describe, expect, it } from "vitest";
import * as z from "zod";

import {
  question,
  REQUESTS_OF_TURN,
  scriptedModel,
  toolResult,
} from "../src/loops/scripted-model.ts";
import { openaiChatWire } from "../src/servers/openai-chat-wire.ts";
import { openaiResponsesWire } from "../src/servers/openai-responses-wire.ts";
import { startStrictServer } from "../src/servers/start-strict-server.ts";

const TURNS = 50;
const contextTokens = 8000;
const counter = tiktokenCounter({ encoding: "o200k_base" });
const window = { contextTokens, countText: (text: string) => counter.countText(text) };

const find = tool(({ to }) => toolResult(to), {
  name: "find",
  description: "Finds flights.",
  schema: z.object({ to: z.string() }),
});

const wires = [
  { name: "chat completions", wire: openaiChatWire, useResponsesApi: false },
  { name: "Responses", wire: openaiResponsesWire, useResponsesApi: true },
];
const scorers = [
  { how: "", fit: {} },
  { how: " and recall blocks", fit: { scorer: lexicalScorer() } },
];

describe.each(wires)("createAgent with a checkpointer, through OpenAI's $name", (api) => {
  const { wire, useResponsesApi } = api;
  const modelAt = (origin: string) =>
    new ChatOpenAI({
      model: "gpt-5.1",
      apiKey: "none",
      maxRetries: 0,
      useResponsesApi,
      zdrEnabled: useResponsesApi,
      configuration: { baseURL: `${origin}/v1` },
    });

  it.each(scorers)(
    "has no request of 50 turns refused, and none over the window$how",
    async ({ fit }) => {
      await using server = await startStrictServer({ wire, reply: scriptedModel, window });
      const plans: ReductionPlan[] = [];
      const reducer = createReducer({ counter, ...fit });
      const checkpointer = new MemorySaver();
      const config = { configurable: { thread_id: "t1" } };
      let messages: BaseMessage[] = [];
      for (let turn = 0; turn < TURNS; turn += 1) {
        // A process of its own for each turn: what it knows comes from the checkpointer.
        const agent = createAgent({
          model: modelAt(server.origin),
          tools: [find],
          systemPrompt: "You book flights.",
          middleware: [
            fitMiddleware({
              reducer,
              window: { contextTokens },
              onPlan: (plan) => plans.push(plan),
            }),
          ],
          checkpointer,
        });
        const asked = { messages: [{ role: "user", content: question(turn) }] };
        ({ messages } = await agent.invoke(asked, config));
      }
      expect(server.refusals).toEqual([]);
      expect(server.taken).toHaveLength(TURNS * REQUESTS_OF_TURN);
      expect(Math.max(...server.tokens)).toBeLessThanOrEqual(contextTokens);
      expect(Math.max(...server.tokens)).toBeGreaterThan(contextTokens / 2);
      // The agent's own messages are all there, and each plan but the first went on from the one before.
      expect(messages).toHaveLength(TURNS * 7);
      expect(plans.filter(({ continued }) => continued !== undefined)).toHaveLength(
        plans.length - 1,
      );
    },
  );
});
