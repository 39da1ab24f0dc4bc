import { fromModelMessages, modelTarget, toModelMessages } from "@agent-history/ai-sdk";
import type { JsonObject, JsonValue } from "@agent-history/core";
import { fitForTarget } from "@agent-history/format-kit";
import { fitMessages } from "@agent-history/langchain";
import { fitToWindow } from "@agent-history/reducer";
import { tiktokenCounter } from "@agent-history/tokens";
import { createAnthropic } from "@ai-sdk/anthropic";
import { createOpenAI } from "@ai-sdk/openai";
import { ChatAnthropic } from "@langchain/anthropic";
import { coerceMessageLikeToMessage } from "@langchain/core/messages";
import type { BaseMessage } from "@langchain/core/messages";
import { ChatOpenAI } from "@langchain/openai";
import { generateText } from "ai";
import type { LanguageModel, ModelMessage } from "ai";

import { anthropicWire } from "../../src/servers/anthropic-wire.ts";
import { openaiChatWire } from "../../src/servers/openai-chat-wire.ts";
import { openaiResponsesWire } from "../../src/servers/openai-responses-wire.ts";
import type { Wire } from "../../src/servers/wire.ts";
import { langchainBreakers, langchainOf } from "../../test-support/broken-langchain.ts";
import { modelBreakers, modelOf } from "../../test-support/broken-model.ts";
import type { Sender } from "../../test-support/judge-broken.ts";

Reflect.set(globalThis, "AI_SDK_LOG_WARNINGS", false);
const counter = tiktokenCounter({ encoding: "o200k_base" });

/** Takes the body of a request, and answers as a wire does. */
function post(wire: Wire) {
  let body: JsonObject = {};
  const fetch = async (_: unknown, init?: RequestInit): Promise<Response> => {
    const sent: JsonObject = JSON.parse(String(init?.body));
    body = sent;
    const answer = wire.write({ text: "Done." }, "reply_0", sent);
    return Response.json(answer);
  };
  return { fetch, sent: () => body };
}

function aiSdk(
  name: string,
  wire: Wire,
  modelOfFetch: (fetch: typeof globalThis.fetch) => LanguageModel,
): Sender<ModelMessage> {
  const { fetch, sent } = post(wire);
  const model = modelOfFetch(fetch as typeof globalThis.fetch);
  return {
    name: `model messages through the AI SDK's ${name}`,
    wire,
    write: modelOf,
    breakers: modelBreakers,
    parse: (messages) => messages as readonly JsonValue[] as readonly ModelMessage[],
    fit: (messages, contextTokens) => {
      const entries = fromModelMessages(messages);
      const fitted = fitForTarget(
        modelTarget({ provider: typeof model === "string" ? "" : model.provider }),
        entries,
        { window: { contextTokens }, counter },
        fitToWindow,
      );
      return { messages: toModelMessages(fitted.entries), repairs: fitted.plan.repairs };
    },
    send: async (messages) => {
      const prompt = { model, messages: [...messages], allowSystemInMessages: true, maxRetries: 0 };
      await generateText({
        ...prompt,
        ...(wire === openaiResponsesWire && { providerOptions: { openai: { store: false } } }),
      });
      return sent();
    },
  };
}

const providers = new Map([
  [anthropicWire, "anthropic" as const],
  [openaiChatWire, "openai-chat" as const],
  [openaiResponsesWire, "openai-responses" as const],
]);

function langChain(
  name: string,
  wire: Wire,
  modelOfFetch: (fetch: typeof globalThis.fetch) => {
    invoke: (messages: BaseMessage[]) => Promise<unknown>;
  },
): Sender<BaseMessage> {
  const { fetch, sent } = post(wire);
  const model = modelOfFetch(fetch as typeof globalThis.fetch);
  return {
    name: `LangChain's messages through its ${name}`,
    wire,
    write: langchainOf,
    breakers: langchainBreakers,
    parse: (messages) =>
      messages.map((message) =>
        coerceMessageLikeToMessage(message as { role: string; content: string }),
      ),
    fit: (messages, contextTokens) => {
      const reducer = {
        name: "own",
        reduce: (entries: Parameters<typeof fitToWindow>[0], asked: object) =>
          fitToWindow(entries, { window: { contextTokens }, counter, ...asked }),
      };
      const { messages: fitted, plan } = fitMessages(messages, {
        reducer,
        window: { contextTokens },
        provider: providers.get(wire),
      });
      return { messages: fitted, repairs: plan.repairs };
    },
    send: async (messages) => {
      await model.invoke([...messages]);
      return sent();
    },
  };
}

const one = { apiKey: "none" };
/** The formats of SDKs that write requests of their own. */
export const senders = [
  aiSdk("OpenAI chat", openaiChatWire, (fetch) => createOpenAI({ ...one, fetch }).chat("gpt-5.1")),
  aiSdk("OpenAI Responses", openaiResponsesWire, (fetch) =>
    createOpenAI({ ...one, fetch }).responses("gpt-5.1"),
  ),
  aiSdk("Anthropic", anthropicWire, (fetch) =>
    createAnthropic({ ...one, fetch })("claude-opus-5-5"),
  ),
  langChain(
    "ChatOpenAI",
    openaiChatWire,
    (fetch) =>
      new ChatOpenAI({ ...one, model: "gpt-5.1", maxRetries: 0, configuration: { fetch } }),
  ),
  langChain(
    "ChatOpenAI with Responses",
    openaiResponsesWire,
    (fetch) =>
      new ChatOpenAI({
        ...one,
        model: "gpt-5.1",
        maxRetries: 0,
        useResponsesApi: true,
        zdrEnabled: true,
        configuration: { fetch },
      }),
  ),
  langChain(
    "ChatAnthropic",
    anthropicWire,
    (fetch) =>
      new ChatAnthropic({
        ...one,
        model: "claude-opus-5-5",
        maxRetries: 0,
        clientOptions: { fetch },
      }),
  ),
] as readonly Sender<unknown>[];
