import { fitPrompt, toToolDefinitions } from "@agent-history/ai-sdk";
import type { ReductionPlan } from "@agent-history/core";
import { createReducer } from "@agent-history/reducer";
import { createOpenAI } from "@ai-sdk/openai";
import { Agent } from "@mastra/core/agent";
import type { MastraModelConfig } from "@mastra/core/llm";
import type { Processor } from "@mastra/core/processors";
import { createTool } from "@mastra/core/tools";
import type { ModelMessage, ToolSet } from "ai";
import { describe, expect, it } from "vitest";
import * as z from "zod";

import { toolResult } from "../src/loops/scripted-model.ts";
import { openaiChatWire } from "../src/servers/openai-chat-wire.ts";
import {
  contextTokens,
  counters,
  instructions,
  recalls,
  runLoop,
} from "./test-support/run-loop.ts";

const counter = counters.gpt;

const find = createTool({
  id: "find",
  description: "Finds flights.",
  inputSchema: z.object({ to: z.string() }),
  execute: async ({ to }) => toolResult(to),
});

describe("an agent of Mastra with a processor that fits each request", () => {
  it.each(recalls)(
    "has no request of 50 turns refused, and none over the window$how",
    async ({ fit: how }) => {
      const plans: ReductionPlan[] = [];
      const start = (origin: string) => {
        const fit = fitPrompt({
          reducer: createReducer({ counter, ...how }),
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
        const openai = createOpenAI({ apiKey: "none", baseURL: `${origin}/v1` });
        const agent = new Agent({
          id: "booking",
          name: "Booking",
          instructions,
          // Its types of a model are those of another release of the AI SDK.
          model: openai.chat("gpt-5.1") as object as MastraModelConfig,
          tools: { find },
          inputProcessors: [processor],
        });
        const messages: ModelMessage[] = [];
        return async (asked: string) => {
          messages.push({ role: "user", content: asked });
          const { text } = await agent.generate(messages);
          messages.push({ role: "assistant", content: text });
        };
      };
      await runLoop({ wire: openaiChatWire, counter, start });
      const continued = plans.filter((plan) => plan.continued !== undefined);
      expect(continued.length).toBeGreaterThan(plans.length / 2);
    },
  );
});
