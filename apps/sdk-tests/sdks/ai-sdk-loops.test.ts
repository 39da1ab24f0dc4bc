import { fitStep } from "@agent-history/ai-sdk";
import type { TokenCounter } from "@agent-history/core";
import { createReducer } from "@agent-history/reducer";
import { lexicalScorer } from "@agent-history/reducer/lexical";
import { estimatingCounter, tiktokenCounter } from "@agent-history/tokens";
import { createAnthropic } from "@ai-sdk/anthropic";
import { createGoogleGenerativeAI } from "@ai-sdk/google";
import { createOpenAI } from "@ai-sdk/openai";
import { generateText, isStepCount, tool } from "ai";
import type { LanguageModel, ModelMessage } from "ai";
import { describe, expect, it } from "vitest";
import * as z from "zod";

import {
  question,
  REQUESTS_OF_TURN,
  scriptedModel,
  toolResult,
} from "../src/loops/scripted-model.ts";
import { anthropicWire } from "../src/servers/anthropic-wire.ts";
import { geminiWire } from "../src/servers/gemini-wire.ts";
import { openaiChatWire } from "../src/servers/openai-chat-wire.ts";
import { openaiResponsesWire } from "../src/servers/openai-responses-wire.ts";
import { startStrictServer } from "../src/servers/start-strict-server.ts";
import type { Wire } from "../src/servers/wire.ts";

const TURNS = 50;
const contextTokens = 8000;
const exact = tiktokenCounter({ encoding: "o200k_base" });
const gemini = estimatingCounter({ family: "gemini", counter: exact });
const claude = estimatingCounter({ family: "claude", counter: exact });

const tools = {
  find: tool({
    description: "Finds flights.",
    inputSchema: z.object({ to: z.string() }),
    execute: (_, { toolCallId }) => toolResult(toolCallId),
  }),
};

interface Provider {
  readonly name: string;
  readonly wire: Wire;
  readonly counter: TokenCounter;
  readonly model: (baseURL: string) => LanguageModel;
}

const providers: readonly Provider[] = [
  {
    name: "OpenAI chat",
    wire: openaiChatWire,
    counter: exact,
    model: (baseURL) => createOpenAI({ apiKey: "none", baseURL }).chat("gpt-5.1"),
  },
  {
    name: "OpenAI Responses",
    wire: openaiResponsesWire,
    counter: exact,
    model: (baseURL) => createOpenAI({ apiKey: "none", baseURL }).responses("gpt-5.1"),
  },
  {
    name: "Anthropic",
    wire: anthropicWire,
    counter: claude,
    model: (baseURL) => createAnthropic({ apiKey: "none", baseURL })("claude-opus-5-5"),
  },
  {
    name: "Google",
    wire: geminiWire,
    counter: gemini,
    model: (baseURL) => createGoogleGenerativeAI({ apiKey: "none", baseURL })("gemini-3-pro"),
  },
];
const scorers = [
  { how: "", fit: {} },
  { how: " and recall blocks", fit: { scorer: lexicalScorer() } },
];

describe.each(providers)("a loop of 50 turns with tools through the AI SDK's $name", (provider) => {
  it.each(scorers)("has no request refused, and none over the window$how", async ({ fit }) => {
    const { wire, counter } = provider;
    await using server = await startStrictServer({
      wire,
      reply: scriptedModel,
      window: { contextTokens, countText: (text) => counter.countText(text) },
    });
    const model = provider.model(`${server.origin}/v1`);
    const prepareStep = fitStep({
      reducer: createReducer({ counter, ...fit }),
      window: { contextTokens },
      tools,
    });
    const messages: ModelMessage[] = [];
    for (let turn = 0; turn < TURNS; turn += 1) {
      messages.push({ role: "user", content: question(turn) });
      const { responseMessages } = await generateText({
        model,
        instructions: "You book flights.",
        messages,
        tools,
        prepareStep,
        stopWhen: isStepCount(10),
        maxRetries: 0,
        ...(wire === openaiResponsesWire && { providerOptions: { openai: { store: false } } }),
      });
      messages.push(...responseMessages);
    }
    expect(server.refusals).toEqual([]);
    expect(server.taken).toHaveLength(TURNS * REQUESTS_OF_TURN);
    expect(Math.max(...server.tokens)).toBeLessThanOrEqual(contextTokens);
    expect(Math.max(...server.tokens)).toBeGreaterThan(contextTokens / 2);
  });
});
