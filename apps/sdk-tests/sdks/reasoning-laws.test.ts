import type { JsonObject } from "@agent-history/core";
import { lawRuns } from "@agent-history/testkit";
import { createAnthropic } from "@ai-sdk/anthropic";
import { createOpenAI } from "@ai-sdk/openai";
import { ChatAnthropic } from "@langchain/anthropic";
import { fitModelMessagesAsync } from "agent-history/ai-sdk";
import { fitMessages } from "agent-history/langchain";
import { generateText, tool } from "ai";
import type { LanguageModel } from "ai";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import * as z from "zod";

import { anthropicWireOf } from "../src/servers/anthropic-wire.ts";
import { openaiResponsesWire } from "../src/servers/openai-responses-wire.ts";
import { objectsAt } from "../src/servers/read-wire.ts";
import type { Wire, WireReply } from "../src/servers/wire.ts";
import type { ReasoningDoor } from "../test-support/reasoning-doors.ts";
import { events, judgeRequests, WINDOWS } from "../test-support/reasoning-histories.ts";

Reflect.set(globalThis, "AI_SDK_LOG_WARNINGS", false);

const claudes = ["claude-opus-5-5", "claude-fable-5-2", "claude-sonnet-5-5"];

/** A `fetch` that answers one request by a reply. */
function answering(wire: Wire, reply: WireReply, id: string) {
  let body: JsonObject = {};
  const fetch = async (_: unknown, init?: RequestInit): Promise<Response> => {
    const sent: JsonObject = JSON.parse(String(init?.body));
    body = sent;
    return Response.json(wire.write(reply, id, sent));
  };
  return { fetch: fetch as typeof globalThis.fetch, sent: () => body };
}

type MakeModel = (name: string, fetch: typeof globalThis.fetch) => LanguageModel;

function aiSdk(provider: string, wire: Wire, models: readonly string[], make: MakeModel) {
  return {
    name: `the AI SDK's ${provider}`,
    wire,
    models,
    asks: (content) => ({ role: "user", content }),
    result: (toolCallId, value) => {
      const output = { type: "text", value };
      return {
        role: "tool",
        content: [{ type: "tool-result", toolCallId, toolName: "look", output }],
      };
    },
    isQuestion: ({ role }) => role === "user",
    isResult: ({ role }) => role === "tool",
    calls: (message) =>
      objectsAt(message, "content").flatMap(({ type, toolCallId: id }) =>
        type === "tool-call" && typeof id === "string" ? [id] : [],
      ),
    send: async (messages, asked, reply, id) => {
      const { fetch, sent } = answering(wire, reply, id);
      const inputSchema = z.object({});
      const listed = asked.tools.map((name) => [name, tool({ description: name, inputSchema })]);
      const tools = Object.fromEntries(listed);
      const { model, contextTokens, system: instructions, previousPlan } = asked;
      const fitted = await fitModelMessagesAsync(Object(messages), {
        ...{ model, instructions, tools, previousPlan },
        window: { contextTokens },
      });
      const { responseMessages } = await generateText({
        ...{ model: make(model, fetch), instructions, messages: fitted.messages, tools },
        providerOptions: { openai: { store: false } },
        maxRetries: 0,
      });
      const answered: readonly JsonObject[] = JSON.parse(JSON.stringify(responseMessages));
      return { body: sent(), plan: fitted.plan, answered };
    },
  } satisfies ReasoningDoor;
}

const langChain = {
  name: "LangChain's ChatAnthropic",
  wire: anthropicWireOf({ isBinding: true }),
  models: claudes,
  asks: (content) => ({ role: "user", content }),
  result: (id, content) => ({ role: "tool", tool_call_id: id, content }),
  isQuestion: ({ role }) => role === "user",
  isResult: ({ role }) => role === "tool",
  calls: (message) =>
    objectsAt(message, "tool_calls").flatMap(({ id }) => (typeof id === "string" ? [id] : [])),
  send: async (messages, asked, reply, id) => {
    const { fetch, sent } = answering(langChain.wire, reply, id);
    const { model, contextTokens, previousPlan } = asked;
    const tools = asked.tools.map((name) => {
      return { name, description: name, input_schema: { type: "object" as const, properties: {} } };
    });
    const head = { role: "system", content: asked.system };
    const fitted = fitMessages(
      [head, ...messages].map((one) => Object(one)),
      {
        ...{ model, window: { contextTokens }, tools, previousPlan },
      },
    );
    const options = { apiKey: "none", maxRetries: 0, clientOptions: { fetch } };
    const chat = new ChatAnthropic({ model, ...options }).bindTools(tools);
    const answer = await chat.invoke(fitted.messages.map((one) => Object(one)));
    const { content, tool_calls: calls } = answer;
    const plain = { role: "assistant", content, tool_calls: calls };
    const answered: readonly JsonObject[] = [JSON.parse(JSON.stringify(plain))];
    return { body: sent(), plan: fitted.plan, answered };
  },
} satisfies ReasoningDoor;

const doors: readonly ReasoningDoor[] = [
  aiSdk("Anthropic", anthropicWireOf({ isBinding: true }), claudes, (name, fetch) =>
    createAnthropic({ apiKey: "none", fetch })(name),
  ),
  aiSdk("Responses", openaiResponsesWire, ["gpt-6-astra", "gpt-6.2-sol"], (name, fetch) =>
    createOpenAI({ apiKey: "none", fetch }).responses(name),
  ),
  langChain,
];

describe.each(doors)("reasoning through $name", (door) => {
  it("stands behind what it was made after in every request, whatever is edited, forked or switched", async () => {
    await fc.assert(
      fc.asyncProperty(events, fc.constantFrom(...WINDOWS), async (happened, window) => {
        expect((await judgeRequests(door, happened, window)).faults).toEqual([]);
      }),
      { numRuns: lawRuns(40) },
    );
  });

  it("is all there while the prompt only grows", async () => {
    const asks = Array.from({ length: 9 }, () => ({ kind: "ask" as const, at: 0, size: 9 }));
    expect(await judgeRequests(door, asks, 20_000)).toEqual({ faults: [], valid: 9 });
  });
});
