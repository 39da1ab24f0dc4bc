import { fitAnthropicRequestAsync, toAnthropicRequest } from "@agent-history/anthropic";
import type { ReductionPlan } from "@agent-history/core";
import { createReducer } from "@agent-history/reducer";
import Anthropic from "@anthropic-ai/sdk";
import { describe, expect, it } from "vitest";

import { toolResult } from "../src/loops/scripted-model.ts";
import { anthropicWire } from "../src/servers/anthropic-wire.ts";
import {
  contextTokens,
  counters,
  instructions,
  recalls,
  runLoop,
} from "./test-support/run-loop.ts";

const counter = counters.claude;
const tools: Anthropic.Tool[] = [
  {
    name: "find",
    description: "Finds flights.",
    input_schema: { type: "object", properties: { to: { type: "string" } } },
  },
];

describe("a loop of 50 turns with tools through the Anthropic SDK", () => {
  it.each(recalls)(
    "has no request refused, and none over the window, with breakpoints$how",
    async ({ fit }) => {
      const start = (origin: string) => {
        const client = new Anthropic({ apiKey: "none", baseURL: origin, maxRetries: 0 });
        const reducer = createReducer({ counter, ...fit });
        const messages: Anthropic.MessageParam[] = [];
        let previousPlan: ReductionPlan | undefined;
        return async (asked: string) => {
          messages.push({ role: "user", content: asked });
          for (let isDone = false; !isDone;) {
            const { request, plan } = await fitAnthropicRequestAsync(messages, {
              reducer,
              window: { contextTokens },
              system: instructions,
              tools,
              cache: { prefixTtl: "1h" },
              previousPlan,
            });
            previousPlan = plan;
            const answer = await client.messages.create({
              model: "claude-opus-5-5",
              max_tokens: 1024,
              ...request,
            });
            messages.push({ role: "assistant", content: answer.content });
            const calls = answer.content.filter((block) => block.type === "tool_use");
            const content = calls.map(({ id }): Anthropic.ToolResultBlockParam => {
              return { type: "tool_result", tool_use_id: id, content: toolResult(id) };
            });
            if (calls.length > 0) messages.push({ role: "user", content });
            isDone = answer.stop_reason === "end_turn";
          }
        };
      };
      await runLoop({ wire: anthropicWire, counter, start });
    },
  );

  it("gives requests that both of its `create` take, by their types", () => {
    const request = toAnthropicRequest([], { tools });
    const ga: Anthropic.MessageCreateParamsNonStreaming = { model: "m", max_tokens: 1, ...request };
    const beta: Anthropic.Beta.MessageCreateParamsNonStreaming = {
      model: "m",
      max_tokens: 1,
      ...request,
    };
    expect([ga.messages, beta.messages]).toEqual([[], []]);
  });
});
