import { fitPrompt, toToolDefinitions } from "@agent-history/ai-sdk";
import type { ReductionPlan } from "@agent-history/core";
import { createReducer } from "@agent-history/reducer";
import { lexicalScorer } from "@agent-history/reducer/lexical";
import { tiktokenCounter } from "@agent-history/tokens";
import { createOpenAI } from "@ai-sdk/openai";
import { Agent } from "@mastra/core/agent";
import type { MastraModelConfig } from "@mastra/core/llm";
import type { Processor } from "@mastra/core/processors";
import { createTool } from "@mastra/core/tools";
import type { ModelMessage, ToolSet } from "ai";
import { describe, expect, it } from "vitest";
import * as z from "zod";

import {
  question,
  REQUESTS_OF_TURN,
  scriptedModel,
  toolResult,
} from "../src/loops/scripted-model.ts";
import { openaiChatWire } from "../src/servers/openai-chat-wire.ts";
import { startStrictServer } from "../src/servers/start-strict-server.ts";

const TURNS = 50;
const contextTokens = 8000;
const counter = tiktokenCounter({ encoding: "o200k_base" });
const window = { contextTokens, countText: (text: string) => counter.countText(text) };

const find = createTool({
  id: "find",
  description: "Finds flights.",
  inputSchema: z.object({ to: z.string() }),
  execute: async ({ to }) => toolResult(to),
});

describe("an agent of Mastra with a processor that fits each request", () => {
  it.each([
    { how: "", fit: {} },
    { how: " with recall blocks", fit: { scorer: lexicalScorer() } },
  ])("has no request of 50 turns refused, and none over the window$how", async ({ fit: how }) => {
    await using server = await startStrictServer({
      wire: openaiChatWire,
      reply: scriptedModel,
      window,
    });
    const plans: ReductionPlan[] = [];
    const reducer = createReducer({ counter, ...how });
    const fit = fitPrompt({
      reducer,
      window: { contextTokens },
      onPlan: (plan) => plans.push(plan),
    });
    const processor = {
      id: "fit",
      processInputStep: async ({ tools, state }) => {
        state["tools"] = await toToolDefinitions({ ...tools } as ToolSet);
        return {};
      },
      processLLMRequest: async ({ prompt, state }) => {
        const { tools } = state as { tools?: Awaited<ReturnType<typeof toToolDefinitions>> };
        return { prompt: await fit({ prompt, tools }) };
      },
    } satisfies Processor;
    const openai = createOpenAI({ apiKey: "none", baseURL: `${server.origin}/v1` });
    const agent = new Agent({
      id: "booking",
      name: "Booking",
      instructions: "You book flights.",
      // Its types of a model are those of another release of the AI SDK.
      model: openai.chat("gpt-5.1") as object as MastraModelConfig,
      tools: { find },
      inputProcessors: [processor],
    });
    const messages: ModelMessage[] = [];
    for (let turn = 0; turn < TURNS; turn += 1) {
      messages.push({ role: "user", content: question(turn) });
      const { text } = await agent.generate(messages);
      messages.push({ role: "assistant", content: text });
    }
    expect(server.refusals).toEqual([]);
    expect(server.taken).toHaveLength(TURNS * REQUESTS_OF_TURN);
    expect(Math.max(...server.tokens)).toBeLessThanOrEqual(contextTokens);
    expect(Math.max(...server.tokens)).toBeGreaterThan(contextTokens / 2);
    expect(plans.filter(({ continued }) => continued !== undefined).length).toBeGreaterThan(
      plans.length / 2,
    );
  });
});
