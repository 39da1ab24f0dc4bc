import { fitAnthropicRequestAsync, toAnthropicRequest } from "@agent-history/anthropic";
import type { ReductionPlan } from "@agent-history/core";
import { createReducer } from "@agent-history/reducer";
import { lexicalScorer } from "@agent-history/reducer/lexical";
import { estimatingCounter, tiktokenCounter } from "@agent-history/tokens";
import Anthropic from "@anthropic-ai/sdk";
import { describe, expect, it } from "vitest";

import {
  question,
  REQUESTS_OF_TURN,
  scriptedModel,
  toolResult,
} from "../src/loops/scripted-model.ts";
import { anthropicWire } from "../src/servers/anthropic-wire.ts";
import { startStrictServer } from "../src/servers/start-strict-server.ts";

const TURNS = 50;
const contextTokens = 8000;
const exact = tiktokenCounter({ encoding: "o200k_base" });
const counter = estimatingCounter({ family: "claude", counter: exact });
const window = { contextTokens, countText: (text: string) => counter.countText(text) };
const tools: Anthropic.Tool[] = [
  {
    name: "find",
    description: "Finds flights.",
    input_schema: { type: "object", properties: { to: { type: "string" } } },
  },
];

describe("a loop of 50 turns with tools through the Anthropic SDK", () => {
  it.each([
    ["", {}],
    [" and recall blocks", { scorer: lexicalScorer() }],
  ])("has no request refused, and none over the window, with breakpoints%s", async (_, fit) => {
    await using server = await startStrictServer({
      wire: anthropicWire,
      reply: scriptedModel,
      window,
    });
    const client = new Anthropic({ apiKey: "none", baseURL: server.origin, maxRetries: 0 });
    const reducer = createReducer({ counter, ...fit });
    const messages: Anthropic.MessageParam[] = [];
    let previousPlan: ReductionPlan | undefined;
    for (let turn = 0; turn < TURNS; turn += 1) {
      messages.push({ role: "user", content: question(turn) });
      for (let isDone = false; !isDone;) {
        const { request, plan } = await fitAnthropicRequestAsync(messages, {
          reducer,
          window: { contextTokens },
          system: "You book flights.",
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
        if (calls.length > 0) {
          const content = calls.map(({ id }): Anthropic.ToolResultBlockParam => {
            return { type: "tool_result", tool_use_id: id, content: toolResult(id) };
          });
          messages.push({ role: "user", content });
        }
        isDone = answer.stop_reason === "end_turn";
      }
    }
    expect(server.refusals).toEqual([]);
    expect(server.taken).toHaveLength(TURNS * REQUESTS_OF_TURN);
    expect(Math.max(...server.tokens)).toBeLessThanOrEqual(contextTokens);
    expect(Math.max(...server.tokens)).toBeGreaterThan(contextTokens / 2);
  });

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
