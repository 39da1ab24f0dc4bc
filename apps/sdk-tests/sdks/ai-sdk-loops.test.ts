import { fitStep } from "@agent-history/ai-sdk";
import type { TokenCounter } from "@agent-history/core";
import { createReducer } from "@agent-history/reducer";
import { createAnthropic } from "@ai-sdk/anthropic";
import { createGoogleGenerativeAI } from "@ai-sdk/google";
import { createOpenAI } from "@ai-sdk/openai";
import { generateText, isStepCount, tool } from "ai";
import type { LanguageModel, ModelMessage } from "ai";
import { describe, expect, it } from "vitest";
import * as z from "zod";

import { toolResult } from "../src/loops/scripted-model.ts";
import { anthropicWire } from "../src/servers/anthropic-wire.ts";
import { geminiWire } from "../src/servers/gemini-wire.ts";
import { openaiChatWire } from "../src/servers/openai-chat-wire.ts";
import { openaiResponsesWire } from "../src/servers/openai-responses-wire.ts";
import type { Wire } from "../src/servers/wire.ts";
import {
  contextTokens,
  counters,
  instructions,
  recalls,
  runLoop,
} from "./test-support/run-loop.ts";

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
    counter: counters.gpt,
    model: (baseURL) => createOpenAI({ apiKey: "none", baseURL }).chat("gpt-5.1"),
  },
  {
    name: "OpenAI Responses",
    wire: openaiResponsesWire,
    counter: counters.gpt,
    model: (baseURL) => createOpenAI({ apiKey: "none", baseURL }).responses("gpt-5.1"),
  },
  {
    name: "Anthropic",
    wire: anthropicWire,
    counter: counters.claude,
    model: (baseURL) => createAnthropic({ apiKey: "none", baseURL })("claude-opus-5-5"),
  },
  {
    name: "Google",
    wire: geminiWire,
    counter: counters.gemini,
    model: (baseURL) => createGoogleGenerativeAI({ apiKey: "none", baseURL })("gemini-3-pro"),
  },
];

describe.each(providers)("a loop of 50 turns with tools through the AI SDK's $name", (provider) => {
  it.each(recalls)("has no request refused, and none over the window$how", async ({ fit }) => {
    const { wire, counter } = provider;
    const start = (origin: string) => {
      const model = provider.model(`${origin}/v1`);
      const reducer = createReducer({ counter, ...fit });
      const prepareStep = fitStep({ reducer, window: { contextTokens } });
      const messages: ModelMessage[] = [];
      return async (asked: string) => {
        messages.push({ role: "user", content: asked });
        const { responseMessages } = await generateText({
          model,
          instructions,
          messages,
          tools,
          prepareStep,
          stopWhen: isStepCount(10),
          maxRetries: 0,
          ...(wire === openaiResponsesWire && { providerOptions: { openai: { store: false } } }),
        });
        messages.push(...responseMessages);
      };
    };
    expect((await runLoop({ wire, counter, start })).taken).not.toEqual([]);
  });
});
