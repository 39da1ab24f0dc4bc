import type { JsonObject } from "@agent-history/core";
import { lawRuns } from "@agent-history/testkit";
import { createAnthropic } from "@ai-sdk/anthropic";
import { createOpenAI } from "@ai-sdk/openai";
import Anthropic from "@anthropic-ai/sdk";
import { ChatAnthropic } from "@langchain/anthropic";
import { ChatOpenAI } from "@langchain/openai";
import { fitStep } from "agent-history/ai-sdk";
import { fitAnthropicRequest } from "agent-history/anthropic";
import { fitMiddleware } from "agent-history/langchain";
import { fitResponseItems } from "agent-history/openai";
import type { ReductionPlan } from "agent-history/openai";
import { generateText, isStepCount, tool } from "ai";
import type { LanguageModel, ModelMessage } from "ai";
import { createAgent, tool as langchainTool } from "langchain";
import type { BaseMessage } from "langchain";
import OpenAI from "openai";
import { describe, expect, it } from "vitest";
import * as z from "zod";

import { anthropicWireOf } from "../src/servers/anthropic-wire.ts";
import type { JudgedThought } from "../src/servers/bound-reasoning.ts";
import { openaiResponsesWire } from "../src/servers/openai-responses-wire.ts";
import type { Wire, WireReply } from "../src/servers/wire.ts";

Reflect.set(globalThis, "AI_SDK_LOG_WARNINGS", false);

const CALLS = lawRuns(100);
const CLAUDE = "claude-opus-5-5";
const GPT = "gpt-6-astra";
const system = "You look things up.";
const about = "Looks something up.";
const parameters = { type: "object" as const, properties: { to: { type: "string" } } };
const found = (id: string): string => `Found for ${id}: ${"a seat at the window, ".repeat(40)}`;
const question = (turn: number): string => `Turn ${turn}: which flights go to Rome?`;

/** How many calls of the model a turn takes. */
const kinds = [
  { kind: "tool loops", perTurn: CALLS },
  { kind: "chats", perTurn: 3 },
];
const windows = [8000, 20_000, 100_000].map((contextTokens) => ({ contextTokens }));

/** A provider in this process: what it made of the requests, and a `fetch` that leads to it. */
function provider(wire: Wire, perTurn: number) {
  const broken: string[] = [];
  const thoughts: (readonly JudgedThought[])[] = [];
  const fetch = async (_: unknown, init?: RequestInit): Promise<Response> => {
    const body: JsonObject = JSON.parse(String(init?.body));
    const betas = new Headers(init?.headers).get("anthropic-beta");
    const request = betas === null ? body : { ...body, betas: betas.split(",") };
    broken.push(...wire.problems(request));
    const index = thoughts.push(wire.thoughts?.(request) ?? []) - 1;
    return Response.json(wire.write(replyOf(index, perTurn), `reply_${index}`, request));
  };
  return { fetch: fetch as typeof globalThis.fetch, broken, thoughts };
}

function replyOf(index: number, perTurn: number): WireReply {
  const thinking = `Thought ${index}: ${"so it must be the later one, ".repeat(1 + (index % 9))}`;
  const isLast = index % perTurn === perTurn - 1;
  if (isLast) return { thinking, text: `Flight ${index} leaves at nine. `.repeat(20) };
  const given = { id: `call_${index}`, name: "find", arguments: `{"to":"Rome ${index}"}` };
  return { thinking, calls: [given] };
}

type Talk = (fetch: typeof globalThis.fetch, contextTokens: number, turns: number) => Promise<void>;

const adapters: readonly { readonly name: string; readonly wire: Wire; readonly talk: Talk }[] = [
  { name: "the Anthropic SDK", wire: anthropicWireOf({ isBinding: true }), talk: withAnthropic },
  {
    name: "the AI SDK's Anthropic",
    wire: anthropicWireOf({ isBinding: true }),
    talk: (fetch, contextTokens, turns) => {
      const model = createAnthropic({ apiKey: "none", fetch })(CLAUDE);
      return withAiSdk({ model, name: CLAUDE, contextTokens, turns });
    },
  },
  {
    name: "LangChain's ChatAnthropic",
    wire: anthropicWireOf({ isBinding: true }),
    talk: (fetch, contextTokens, turns) => {
      const options = { apiKey: "none", maxRetries: 0, clientOptions: { fetch } };
      const model = new ChatAnthropic({ model: CLAUDE, ...options });
      return withLangChain({ model, name: CLAUDE, contextTokens, turns });
    },
  },
  { name: "the OpenAI SDK's Responses", wire: openaiResponsesWire, talk: withOpenAI },
  {
    name: "the AI SDK's Responses",
    wire: openaiResponsesWire,
    talk: (fetch, contextTokens, turns) => {
      const model = createOpenAI({ apiKey: "none", fetch }).responses(GPT);
      return withAiSdk({ model, name: GPT, contextTokens, turns });
    },
  },
  {
    name: "LangChain's ChatOpenAI with Responses",
    wire: openaiResponsesWire,
    talk: (fetch, contextTokens, turns) => {
      const options = { apiKey: "none", maxRetries: 0, configuration: { fetch } };
      const api = { useResponsesApi: true, zdrEnabled: true };
      const model = new ChatOpenAI({ model: GPT, ...options, ...api });
      return withLangChain({ model, name: GPT, contextTokens, turns });
    },
  },
];

describe.each(adapters)("reasoning that is bound to its prefix, through $name", (adapter) => {
  describe.each(kinds)("$kind", ({ perTurn }) => {
    it.each(windows)("is valid in every request at a window of $contextTokens", async (window) => {
      const { wire, talk } = adapter;
      const { fetch, broken, thoughts } = provider(wire, perTurn);
      await talk(fetch, window.contextTokens, Math.floor(CALLS / perTurn));
      expect(broken).toEqual([]);
      expect(thoughts.flat().filter(({ fate }) => fate !== "valid")).toEqual([]);
      expect(thoughts.length).toBeGreaterThanOrEqual(Math.floor(CALLS / perTurn) * perTurn);
      expect(Math.max(...thoughts.map((one) => one.length))).toBeGreaterThan(5);
    });
  });
});

async function withAnthropic(
  fetch: typeof globalThis.fetch,
  contextTokens: number,
  turns: number,
): Promise<void> {
  const client = new Anthropic({ apiKey: "none", maxRetries: 0, fetch });
  const tools: Anthropic.Tool[] = [{ name: "find", description: about, input_schema: parameters }];
  const messages: Anthropic.MessageParam[] = [];
  let previousPlan: ReductionPlan | undefined;
  for (let turn = 0; turn < turns; turn += 1) {
    messages.push({ role: "user", content: question(turn) });
    for (let isDone = false; !isDone;) {
      const { request, plan } = fitAnthropicRequest(messages, {
        model: CLAUDE,
        window: { contextTokens },
        system,
        tools,
        cache: {},
        previousPlan,
      });
      previousPlan = plan;
      const { content } = await client.messages.create({
        model: CLAUDE,
        max_tokens: 9,
        ...request,
      });
      messages.push({ role: "assistant", content });
      const calls = content.filter((block) => block.type === "tool_use");
      isDone = calls.length === 0;
      if (isDone) continue;
      messages.push({
        role: "user",
        content: calls.map(({ id }) => ({
          type: "tool_result",
          tool_use_id: id,
          content: found(id),
        })),
      });
    }
  }
}

async function withOpenAI(
  fetch: typeof globalThis.fetch,
  contextTokens: number,
  turns: number,
): Promise<void> {
  const client = new OpenAI({ apiKey: "none", maxRetries: 0, fetch });
  const tools = [
    { type: "function" as const, name: "find", description: about, parameters, strict: false },
  ];
  const items: OpenAI.Responses.ResponseInputItem[] = [];
  let previousPlan: ReductionPlan | undefined;
  for (let turn = 0; turn < turns; turn += 1) {
    items.push({ role: "user", content: question(turn) });
    for (let isDone = false; !isDone;) {
      const fitted = fitResponseItems(items, {
        model: GPT,
        window: { contextTokens },
        instructions: system,
        tools,
        previousPlan,
      });
      previousPlan = fitted.plan;
      const { output } = await client.responses.create({
        model: GPT,
        instructions: system,
        input: fitted.items,
        tools,
        store: false,
      });
      const calls = output.filter((item) => item.type === "function_call");
      items.push(...output.map((item) => item as OpenAI.Responses.ResponseInputItem));
      items.push(
        ...calls.map(({ call_id: id }) => ({
          type: "function_call_output" as const,
          call_id: id,
          output: found(id),
        })),
      );
      isDone = calls.length === 0;
    }
  }
}

interface Given<Model> {
  readonly model: Model;
  readonly name: string;
  readonly contextTokens: number;
  readonly turns: number;
}

async function withAiSdk({
  model,
  name,
  contextTokens,
  turns,
}: Given<LanguageModel>): Promise<void> {
  const inputSchema = z.object({ to: z.string() });
  const execute = (_: unknown, { toolCallId }: { toolCallId: string }): string => found(toolCallId);
  const tools = { find: tool({ description: about, inputSchema, execute }) };
  const prepareStep = fitStep({ model: name, window: { contextTokens } });
  const messages: ModelMessage[] = [];
  for (let turn = 0; turn < turns; turn += 1) {
    messages.push({ role: "user", content: question(turn) });
    const { responseMessages } = await generateText({
      ...{ model, instructions: system, messages, tools, prepareStep, maxRetries: 0 },
      stopWhen: isStepCount(CALLS),
      providerOptions: { openai: { store: false } },
    });
    messages.push(...responseMessages);
  }
}

async function withLangChain({
  model,
  name,
  contextTokens,
  turns,
}: Given<ChatAnthropic | ChatOpenAI>): Promise<void> {
  const find = langchainTool(
    (_: unknown, { toolCall }: { toolCall?: { id?: string } }) => found(toolCall?.id ?? ""),
    { name: "find", description: about, schema: z.object({ to: z.string() }) },
  );
  const agent = createAgent({
    ...{ model, tools: [find], systemPrompt: system },
    middleware: [fitMiddleware({ model: name, window: { contextTokens } })],
  });
  let messages: BaseMessage[] = [];
  for (let turn = 0; turn < turns; turn += 1) {
    const asked = [...messages, { role: "user", content: question(turn) }];
    ({ messages } = await agent.invoke({ messages: asked }, { recursionLimit: 3 * CALLS }));
  }
}
