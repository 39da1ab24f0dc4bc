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
import OpenAI from "openai";
import { describe, it } from "vitest";

import { toolResult } from "../src/loops/scripted-model.ts";
import { openaiChatWire } from "../src/servers/openai-chat-wire.ts";
import { openaiResponsesWire } from "../src/servers/openai-responses-wire.ts";
import { contextTokens, counters, instructions, runLoop } from "./test-support/run-loop.ts";

const counter = counters.gpt;
const parameters = { type: "object", properties: { to: { type: "string" } } };
const clientAt = (origin: string) =>
  new OpenAI({ apiKey: "none", baseURL: `${origin}/v1`, maxRetries: 0 });

describe("a loop of 50 turns with tools through the OpenAI SDK", () => {
  it("has no chat request refused, and none over the window", async () => {
    const tools: OpenAI.ChatCompletionTool[] = [
      { type: "function", function: { name: "find", parameters } },
    ];
    const start = (origin: string) => {
      const client = clientAt(origin);
      const chat: OpenAI.ChatCompletionMessageParam[] = [{ role: "system", content: instructions }];
      let previousPlan: ReductionPlan | undefined;
      return async (asked: string) => {
        chat.push({ role: "user", content: asked });
        for (let isDone = false; !isDone;) {
          const { entries, plan } = fitToWindow(fromChatMessages(chat), {
            window: { contextTokens },
            counter,
            tools: toToolDefinitions(tools),
            previousPlan,
          });
          previousPlan = plan;
          const messages: OpenAI.ChatCompletionMessageParam[] = toChatMessages(entries);
          const request = { model: "gpt-5.1", messages, tools };
          const { choices } = await client.chat.completions.create(request);
          const answer = choices[0]?.message;
          if (answer === undefined) throw new Error("No answer.");
          chat.push(answer);
          for (const { id } of answer.tool_calls ?? [])
            chat.push({ role: "tool", tool_call_id: id, content: toolResult(id) });
          isDone = answer.tool_calls === undefined;
        }
      };
    };
    await runLoop({ wire: openaiChatWire, counter, start });
  });

  it("has no request of Responses items refused, and none over the window", async () => {
    const tools: OpenAI.Responses.Tool[] = [
      { type: "function", name: "find", parameters, strict: false },
    ];
    const start = (origin: string) => {
      const client = clientAt(origin);
      const items: ResponseItemLike[] = [];
      let previousPlan: ReductionPlan | undefined;
      return async (asked: string) => {
        items.push({ role: "user", content: asked });
        for (let isDone = false; !isDone;) {
          const { entries, plan } = fitToWindow(fromResponseItems(items, { instructions }), {
            window: { contextTokens },
            counter,
            tools: toToolDefinitions(tools),
            previousPlan,
          });
          previousPlan = plan;
          const input: OpenAI.Responses.ResponseInputItem[] = toResponseItems(entries);
          const request = { model: "gpt-5.1", instructions, input, tools, store: false };
          const { output } = await client.responses.create(request);
          const calls = output.filter((item) => item.type === "function_call");
          items.push(...output);
          for (const { call_id } of calls)
            items.push({ type: "function_call_output", call_id, output: toolResult(call_id) });
          isDone = calls.length === 0;
        }
      };
    };
    await runLoop({ wire: openaiResponsesWire, counter, start });
  });
});
