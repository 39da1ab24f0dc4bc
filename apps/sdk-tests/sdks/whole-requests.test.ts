import { countMiddleware, fitMiddleware } from "@agent-history/ai-sdk";
import { countRequest as countAnthropic, fitAnthropicRequest } from "@agent-history/anthropic";
import { isHistoryError } from "@agent-history/core";
import type {
  JsonObject,
  ReductionPlan,
  ReductionRequest,
  TokenCounter,
} from "@agent-history/core";
import { fitForTarget, sendingWith } from "@agent-history/format-kit";
import type { RequestCount } from "@agent-history/format-kit";
import {
  countRequest as countGoogle,
  fitContents,
  fitInteractionSteps,
} from "@agent-history/google";
import { countRequest as countMessages, fitMessages } from "@agent-history/langchain";
import {
  chatTarget,
  countRequest,
  fromChatMessages,
  fromResponseItems,
  responseTarget,
  toChatMessages,
  toResponseItems,
} from "@agent-history/openai";
import { fitModelInput } from "@agent-history/openai-agents";
import { fitToWindow } from "@agent-history/reducer";
import { modelCounter } from "@agent-history/tokens";
import { createAnthropic } from "@ai-sdk/anthropic";
import { createOpenAI } from "@ai-sdk/openai";
import Anthropic from "@anthropic-ai/sdk";
import { GoogleGenAI } from "@google/genai";
import { AIMessage, HumanMessage, SystemMessage, ToolMessage } from "@langchain/core/messages";
import type { BaseMessage } from "@langchain/core/messages";
import { ChatOpenAI } from "@langchain/openai";
import {
  Agent,
  OpenAIProvider,
  Runner,
  setTracingDisabled,
  tool as agentTool,
} from "@openai/agents";
import type { AgentInputItem } from "@openai/agents";
import { generateText, jsonSchema, tool, wrapLanguageModel } from "ai";
import type { LanguageModel, ModelMessage, ToolSet } from "ai";
import OpenAI from "openai";
import { describe, expect, it } from "vitest";

import { signAlone } from "../src/servers/anthropic-signatures.ts";
import { anthropicWire } from "../src/servers/anthropic-wire.ts";
import { geminiWire } from "../src/servers/gemini-wire.ts";
import { interactionsWire } from "../src/servers/interactions-wire.ts";
import { openaiChatWire } from "../src/servers/openai-chat-wire.ts";
import { openaiResponsesWire } from "../src/servers/openai-responses-wire.ts";
import { startStrictServer } from "../src/servers/start-strict-server.ts";
import type { Wire } from "../src/servers/wire.ts";
import {
  anthropicOfTalk,
  chatOfTalk,
  compare,
  contentsOfTalk,
  IMAGE,
  itemsOfTalk,
  newComparison,
  stepsOfTalk,
  talkOf,
  weighBody,
} from "../test-support/whole-requests.ts";
import type { Comparison, Talk } from "../test-support/whole-requests.ts";

setTracingDisabled(true);

/** `pnpm chaos --requests` sends more, and prints what was compared. */
const isChaos = import.meta.env?.["MODE"] === "chaos";

/** Requests of each sender. */
const REQUESTS = isChaos ? 1200 : 40;

/** How a talk is fitted and sent through an SDK. */
interface Sender {
  readonly name: string;
  readonly wire: Wire;
  readonly model: string;
  /** What an image of 512 × 512 pixels has. */
  readonly imageTokens: number;
  /** Whether the SDK sends what the format writes, so that bytes are exact. Otherwise at least what is sent. */
  readonly isExact?: boolean;
  /** Sends one request to a server. */
  readonly send: (talk: Talk, to: Destination) => Promise<Sent>;
}

/** The plan that a request was fitted by, and what `countRequest` says of what was sent. */
interface Sent {
  readonly plan: ReductionPlan | undefined;
  readonly count?: RequestCount | undefined;
}

interface Destination {
  readonly origin: string;
  readonly model: string;
  readonly counter: TokenCounter;
}

const GPT = { model: "gpt-5.1", imageTokens: 210 };
const GPT4 = { model: "gpt-4-turbo", imageTokens: 255 };
const GEMINI = { model: "gemini-3.1-pro-preview", imageTokens: 258 };
const CLAUDE = { model: "claude-opus-5-5", imageTokens: 361 };

const senders: readonly Sender[] = [
  ...[GPT, GPT4].map((one) => ({
    ...one,
    name: "openai, chat",
    isExact: true,
    wire: openaiChatWire,
    send: sendChat,
  })),
  {
    ...GPT,
    name: "openai, Responses",
    isExact: true,
    wire: openaiResponsesWire,
    send: sendItems,
  },
  {
    ...CLAUDE,
    name: "@anthropic-ai/sdk",
    isExact: true,
    wire: anthropicWire,
    send: sendAnthropic,
  },
  {
    ...GEMINI,
    name: "@google/genai, generateContent",
    isExact: true,
    wire: geminiWire,
    send: sendContents,
  },
  {
    ...GEMINI,
    name: "@google/genai, interactions",
    isExact: true,
    wire: interactionsWire,
    send: sendSteps,
  },
  { ...GPT, name: "ai, OpenAI chat", wire: openaiChatWire, send: sendModel("chat") },
  { ...GPT, name: "ai, OpenAI Responses", wire: openaiResponsesWire, send: sendModel("responses") },
  { ...CLAUDE, name: "ai, Anthropic", wire: anthropicWire, send: sendModel("anthropic") },
  { ...GPT, name: "@langchain/openai", wire: openaiChatWire, send: sendLangChain },
  { ...GPT, name: "@openai/agents, Responses", wire: openaiResponsesWire, send: sendAgent(true) },
  { ...GPT, name: "@openai/agents, chat", wire: openaiChatWire, send: sendAgent(false) },
];

describe("a whole request through the real SDKs", () => {
  it.each(senders)(
    "counts no less than its body has: $name, $model",
    async ({ name, wire, model, imageTokens, isExact = false, send }) => {
      const counter = modelCounter(model);
      const exact = modelCounter(model.startsWith("gpt") ? model : "gpt-5.1");
      await using server = await startStrictServer({ wire });
      const sum: Comparison = newComparison();
      for (let seed = 1; seed <= REQUESTS; seed += 1) {
        const before = server.taken.length + server.refusals.length;
        const talk = talkOf(seed);
        if (talk.events.length === 0) continue;
        const sent = await send(talk, { origin: server.origin, model, counter }).catch(
          ignoreTooSmall,
        );
        const { plan, count } = sent ?? {};
        const isTaken =
          server.taken.length > 0 && server.taken.length + server.refusals.length > before;
        const body: JsonObject | undefined = isTaken ? server.taken.at(-1) : undefined;
        if (plan === undefined || body === undefined) continue;
        expect(plan.totalTokens).toBeLessThanOrEqual(talk.contextTokens);
        if (!name.startsWith("@openai/agents")) {
          const { totalTokens: tokens, totalBytes: bytes, totalImages: images } = plan;
          expect({ seed, ...count }).toMatchObject({ seed, tokens, bytes, images });
        }
        compare(
          sum,
          seed,
          plan,
          weighBody(body, (text) => exact.countText(text), imageTokens),
        );
      }
      if (isChaos) {
        const ratio = (one: number, other: number): string => (one / other).toFixed(3);
        console.log(
          `${name}, ${model}: ${sum.requests} requests, counted / tokens ${ratio(sum.counted, sum.tokens)}, counted / bytes ${ratio(sum.countedBytes, sum.bytes)}, bytes of text / counted token ${ratio(sum.textBytes, sum.counted)}, refused ${server.refusals.length}`,
        );
      }
      expect(sum.low).toEqual([]);
      if (isExact) expect(sum.inexact).toEqual([]);
      expect(server.refusals.map(({ rules }) => rules)).toEqual([]);
      expect(sum.requests).toBeGreaterThan(REQUESTS / 2);
    },
    600_000,
  );
});

function asked(
  talk: Talk,
  counter: TokenCounter,
): ReductionRequest & { readonly counter: TokenCounter } {
  return { window: { contextTokens: talk.contextTokens }, counter, tools: talk.tools };
}

function reducerOf(counter: TokenCounter) {
  const reduce = (entries: Parameters<typeof fitToWindow>[0], how: ReductionRequest) =>
    fitToWindow(entries, { counter, ...how });
  return { name: "own", reduce };
}

function clientAt({ origin }: Destination): OpenAI {
  return new OpenAI({ apiKey: "none", baseURL: `${origin}/v1`, maxRetries: 0 });
}

async function sendChat(talk: Talk, to: Destination): Promise<Sent> {
  const entries = fromChatMessages(chatOfTalk(talk).map((one) => ({ role: "", ...one })));
  const { entries: sent, plan } = fitForTarget(
    chatTarget(),
    entries,
    asked(talk, to.counter),
    fitToWindow,
  );
  const messages: OpenAI.ChatCompletionMessageParam[] = toChatMessages(sent);
  const tools = talk.tools.map((one) => ({ type: "function", function: { ...one } }) as const);
  await clientAt(to).chat.completions.create({
    model: to.model,
    messages,
    ...(tools.length > 0 && { tools }),
  });
  const request = { messages, ...(tools.length > 0 && { tools }) };
  return { plan, count: countRequest({ counter: to.counter, ...request }) };
}

async function sendItems(talk: Talk, to: Destination): Promise<Sent> {
  const { instructions } = talk;
  const entries = fromResponseItems(itemsOfTalk(talk), { instructions });
  const tools = talk.tools.map((one) => ({ type: "function", ...one, strict: false }) as const);
  const { entries: sent, plan } = fitForTarget(
    sendingWith(responseTarget(), { tools }),
    entries,
    asked(talk, to.counter),
    fitToWindow,
  );
  const input: OpenAI.Responses.ResponseInputItem[] = toResponseItems(sent);
  await clientAt(to).responses.create({
    model: to.model,
    instructions,
    input,
    tools,
    store: false,
  });
  return { plan, count: countRequest({ counter: to.counter, instructions, input, tools }) };
}

async function sendContents(talk: Talk, to: Destination): Promise<Sent> {
  const ai = new GoogleGenAI({ apiKey: "none", httpOptions: { baseUrl: to.origin } });
  const tools = [
    {
      functionDeclarations: talk.tools.map(({ name, description, parameters }) => ({
        name,
        description,
        parametersJsonSchema: parameters,
      })),
    },
  ];
  const systemInstruction = { role: "user", parts: [{ text: talk.instructions }] };
  const config = { systemInstruction, ...(talk.tools.length > 0 && { tools }) };
  const { contents, plan } = fitContents(contentsOfTalk(talk), {
    ...config,
    model: to.model,
    reducer: reducerOf(to.counter),
    window: { contextTokens: talk.contextTokens },
  });
  await ai.models.generateContent({ model: to.model, contents, config });
  const { counter, model } = to;
  return { plan, count: countGoogle({ counter, model, contents, ...config }) };
}

async function sendSteps(talk: Talk, to: Destination): Promise<Sent> {
  const ai = new GoogleGenAI({ apiKey: "none", httpOptions: { baseUrl: to.origin } });
  const tools = talk.tools.map((one) => ({ type: "function", ...one }) as const);
  const { input, plan } = fitInteractionSteps(stepsOfTalk(talk), {
    systemInstruction: talk.instructions,
    ...(tools.length > 0 && { tools }),
    model: to.model,
    reducer: reducerOf(to.counter),
    window: { contextTokens: talk.contextTokens },
  });
  await ai.interactions.create({
    model: to.model,
    input,
    store: false,
    automatic_continuation: false,
    system_instruction: talk.instructions,
    ...(tools.length > 0 && { tools }),
  });
  const { counter, model } = to;
  const systemInstruction = talk.instructions;
  const request = { systemInstruction, ...(tools.length > 0 && { tools }) };
  return { plan, count: countGoogle({ counter, model, input, ...request }) };
}

async function sendAnthropic(talk: Talk, to: Destination): Promise<Sent> {
  const client = new Anthropic({ apiKey: "none", baseURL: to.origin, maxRetries: 0 });
  const tools = talk.tools.map(({ name, description, parameters }) => ({
    name,
    description,
    input_schema: { ...parameters, type: "object" as const },
  }));
  const { request, plan } = fitAnthropicRequest(
    anthropicOfTalk(talk).map((one) => ({ role: "", ...one })),
    {
      system: talk.instructions,
      tools,
      window: { contextTokens: talk.contextTokens },
      reducer: reducerOf(to.counter),
    },
  );
  const body: unknown = {
    model: to.model,
    max_tokens: 1000,
    thinking: { type: "adaptive" },
    ...request,
  };
  await client.messages.create(body as Anthropic.MessageCreateParamsNonStreaming);
  return { plan, count: countAnthropic({ counter: to.counter, ...request }) };
}

/** The talk as messages of the AI SDK, with what providers return beside texts. */
function modelMessagesOf({ events }: Talk, api: string): ModelMessage[] {
  return events.flatMap((event): ModelMessage[] => {
    switch (event.kind) {
      case "request": {
        const text = { type: "text", text: event.text } as const;
        const image = {
          type: "file",
          mediaType: "image/png",
          data: IMAGE,
          providerOptions: { openai: { imageDetail: "high" } },
        } as const;
        return [{ role: "user", content: event.hasImage ? [text, image] : [text] }];
      }
      case "answer":
        return [{ role: "assistant", content: event.text }];
      case "calls": {
        const anthropic = { signature: signAlone(event.thought) };
        const openai = {
          itemId: `rs_${event.calls[0]?.id}`,
          reasoningEncryptedContent: event.seal,
        };
        const providerOptions = api === "anthropic" ? { anthropic } : { openai };
        const thought = { type: "reasoning", text: event.thought, providerOptions } as const;
        const calls = event.calls.map(
          ({ id, input }) =>
            ({ type: "tool-call", toolCallId: id, toolName: "search", input }) as const,
        );
        const results = event.calls.map(({ id, result }) => {
          const output = { type: "text", value: result } as const;
          return { type: "tool-result", toolCallId: id, toolName: "search", output } as const;
        });
        return [
          { role: "assistant", content: [...(api === "chat" ? [] : [thought]), ...calls] },
          { role: "tool", content: results },
        ];
      }
    }
  });
}

function sendModel(api: "chat" | "responses" | "anthropic"): Sender["send"] {
  return async (talk, to) => {
    const baseURL = `${to.origin}/v1`;
    const openai = createOpenAI({ apiKey: "none", baseURL });
    const models: Record<typeof api, Exclude<LanguageModel, string>> = {
      chat: openai.chat(to.model),
      responses: openai.responses(to.model),
      anthropic: createAnthropic({ apiKey: "none", baseURL })(to.model),
    };
    let plan: ReductionPlan | undefined;
    let count: RequestCount | undefined;
    const fit = fitMiddleware({
      reducer: reducerOf(to.counter),
      window: { contextTokens: talk.contextTokens },
      onPlan: (made) => (plan = made),
    });
    const counted = countMiddleware({ counter: to.counter, onCount: (made) => (count = made) });
    const model = wrapLanguageModel({
      model: models[api] as Parameters<typeof wrapLanguageModel>[0]["model"],
      middleware: [fit, counted],
    });
    const tools: ToolSet = {};
    for (const { name, description, parameters } of talk.tools) {
      tools[name] = tool({ description, inputSchema: jsonSchema<JsonObject>(parameters) });
    }
    await generateText({
      model,
      instructions: talk.instructions,
      messages: modelMessagesOf(talk, api),
      tools,
      maxRetries: 0,
      ...(api === "responses" && { providerOptions: { openai: { store: false } } }),
      ...(api === "anthropic" && {
        providerOptions: { anthropic: { thinking: { type: "adaptive" } } },
      }),
    });
    return { plan, count };
  };
}

function langChainOf({ instructions, events }: Talk): BaseMessage[] {
  const url = `data:image/png;base64,${IMAGE}`;
  return [
    new SystemMessage(instructions),
    ...events.flatMap((event): BaseMessage[] => {
      switch (event.kind) {
        case "request": {
          const image = { type: "image_url", image_url: { url, detail: "high" } };
          const content = [{ type: "text", text: event.text }, image];
          return [new HumanMessage({ content: event.hasImage ? content : event.text })];
        }
        case "answer":
          return [new AIMessage({ content: event.text, additional_kwargs: event.extra })];
        case "calls":
          return [
            new AIMessage({
              content: event.thought,
              additional_kwargs: event.extra,
              tool_calls: event.calls.map(({ id, input }) => ({
                id,
                name: "search",
                args: input,
                type: "tool_call",
              })),
            }),
            ...event.calls.map(
              ({ id, result }) => new ToolMessage({ content: result, tool_call_id: id }),
            ),
          ];
      }
    }),
  ];
}

async function sendLangChain(talk: Talk, to: Destination): Promise<Sent> {
  const tools = talk.tools.map((one) => ({ type: "function", function: { ...one } }) as const);
  const { messages, plan } = fitMessages(langChainOf(talk), {
    reducer: reducerOf(to.counter),
    window: { contextTokens: talk.contextTokens },
    tools,
  });
  const model = new ChatOpenAI({
    model: to.model,
    apiKey: "none",
    maxRetries: 0,
    useResponsesApi: false,
    configuration: { baseURL: `${to.origin}/v1` },
  });
  await (tools.length > 0 ? model.bindTools(tools) : model).invoke(messages);
  return { plan, count: countMessages({ counter: to.counter, messages, tools }) };
}

function agentItemsOf({ events }: Talk): AgentInputItem[] {
  return events.flatMap((event): AgentInputItem[] => {
    switch (event.kind) {
      case "request": {
        const image = {
          type: "input_image",
          image: `data:image/png;base64,${IMAGE}`,
          detail: "high",
        } as const;
        const text = { type: "input_text", text: event.text } as const;
        return [{ role: "user", content: event.hasImage ? [text, image] : event.text }];
      }
      case "answer": {
        const content = [{ type: "output_text", text: event.text } as const];
        return [{ type: "message", role: "assistant", status: "completed", content }];
      }
      case "calls":
        return [
          ...event.calls.map(({ id, input }): AgentInputItem => ({
            type: "function_call",
            callId: id,
            name: "search",
            status: "completed",
            arguments: JSON.stringify(input),
          })),
          ...event.calls.map(({ id, result }): AgentInputItem => ({
            type: "function_call_result",
            callId: id,
            name: "search",
            status: "completed",
            output: { type: "text", text: result },
          })),
        ];
    }
  });
}

function sendAgent(useResponses: boolean): Sender["send"] {
  return async (talk, to) => {
    const openAIClient = clientAt(to);
    const runner = new Runner({
      modelProvider: new OpenAIProvider({ openAIClient, useResponses }),
    });
    const tools = talk.tools.map(({ name, description, parameters }) =>
      agentTool({
        name,
        description,
        parameters: { ...parameters, additionalProperties: true } as never,
        strict: false,
        execute: () => "",
      }),
    );
    const agent = new Agent({
      name: "Desk",
      instructions: talk.instructions,
      model: to.model,
      tools,
    });
    let made: ReductionPlan | undefined;
    const callModelInputFilter = fitModelInput({
      reducer: reducerOf(to.counter),
      window: { contextTokens: talk.contextTokens },
      onPlan: (plan) => (made = plan),
    });
    await runner.run(agent, agentItemsOf(talk), { callModelInputFilter });
    return { plan: made };
  };
}

/** A request that cannot be made small enough is none. */
function ignoreTooSmall(error: unknown): undefined {
  for (let at: unknown = error; at instanceof Error; at = at.cause) {
    if (isHistoryError(at, "WINDOW_TOO_SMALL")) return undefined;
  }
  // What the server refused stands among its refusals.
  return undefined;
}
