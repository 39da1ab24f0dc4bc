import type { ReductionPlan } from "@agent-history/core";
import {
  fromChatMessages,
  fromResponseItems,
  toChatMessages,
  toResponseItems,
  toToolDefinitions,
} from "@agent-history/openai";
import type { ResponseItemLike } from "@agent-history/openai";
import { fitToWindow } from "@agent-history/reducer";
import { tiktokenCounter } from "@agent-history/tokens";
import OpenAI from "openai";
import { describe, expect, it } from "vitest";

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
const contextTokens = 6000;
const counter = tiktokenCounter({ model: "gpt-5.1" });
const window = { contextTokens, countText: (text: string) => counter.countText(text) };
const parameters = { type: "object", properties: { to: { type: "string" } } };

describe("a loop of 50 turns with tools through the OpenAI SDK", () => {
  it("has no chat request refused, and none over the window", async () => {
    await using server = await startStrictServer({
      wire: openaiChatWire,
      reply: scriptedModel,
      window,
    });
    const client = new OpenAI({ apiKey: "none", baseURL: `${server.origin}/v1`, maxRetries: 0 });
    const tools: OpenAI.ChatCompletionTool[] = [
      { type: "function", function: { name: "find", parameters } },
    ];
    const chat: OpenAI.ChatCompletionMessageParam[] = [
      { role: "system", content: "You book flights." },
    ];
    let previousPlan: ReductionPlan | undefined;
    for (let turn = 0; turn < TURNS; turn += 1) {
      chat.push({ role: "user", content: question(turn) });
      for (let isDone = false; !isDone;) {
        const { entries, plan } = fitToWindow(fromChatMessages(chat), {
          window: { contextTokens },
          counter,
          tools: toToolDefinitions(tools),
          previousPlan,
        });
        previousPlan = plan;
        const messages: OpenAI.ChatCompletionMessageParam[] = toChatMessages(entries);
        const { choices } = await client.chat.completions.create({
          model: "gpt-5.1",
          messages,
          tools,
        });
        const answer = choices[0]?.message;
        if (answer === undefined) throw new Error("No answer.");
        chat.push(answer);
        for (const { id } of answer.tool_calls ?? []) {
          chat.push({ role: "tool", tool_call_id: id, content: toolResult(id) });
        }
        isDone = answer.tool_calls === undefined;
      }
    }
    expect(server.refusals).toEqual([]);
    expect(server.taken).toHaveLength(TURNS * REQUESTS_OF_TURN);
    expect(Math.max(...server.tokens)).toBeLessThanOrEqual(contextTokens);
    expect(Math.max(...server.tokens)).toBeGreaterThan(contextTokens / 2);
  });

  it("has no request of Responses items refused, and none over the window", async () => {
    await using server = await startStrictServer({
      wire: openaiResponsesWire,
      reply: scriptedModel,
      window,
    });
    const client = new OpenAI({ apiKey: "none", baseURL: `${server.origin}/v1`, maxRetries: 0 });
    const tools: OpenAI.Responses.Tool[] = [
      { type: "function", name: "find", parameters, strict: false },
    ];
    const instructions = "You book flights.";
    const items: ResponseItemLike[] = [];
    let previousPlan: ReductionPlan | undefined;
    for (let turn = 0; turn < TURNS; turn += 1) {
      items.push({ role: "user", content: question(turn) });
      for (let isDone = false; !isDone;) {
        const { entries, plan } = fitToWindow(fromResponseItems(items, { instructions }), {
          window: { contextTokens },
          counter,
          tools: toToolDefinitions(tools),
          previousPlan,
        });
        previousPlan = plan;
        const input: OpenAI.Responses.ResponseInputItem[] = toResponseItems(entries);
        const { output } = await client.responses.create({
          model: "gpt-5.1",
          instructions,
          input,
          tools,
          store: false,
        });
        const calls = output.filter((item) => item.type === "function_call");
        items.push(
          ...output,
          ...calls.map(({ call_id }) => ({
            type: "function_call_output",
            call_id,
            output: toolResult(call_id),
          })),
        );
        isDone = calls.length === 0;
      }
    }
    expect(server.refusals).toEqual([]);
    expect(server.taken).toHaveLength(TURNS * REQUESTS_OF_TURN);
    expect(Math.max(...server.tokens)).toBeLessThanOrEqual(contextTokens);
    expect(Math.max(...server.tokens)).toBeGreaterThan(contextTokens / 2);
  });
});
