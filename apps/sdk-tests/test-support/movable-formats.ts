import { fromModelMessages, modelTarget, toModelMessages } from "@agent-history/ai-sdk";
import {
  anthropicTarget,
  fromAnthropicMessages,
  toAnthropicRequest,
} from "@agent-history/anthropic";
import type { HistoryEntry, JsonObject } from "@agent-history/core";
import { toJson } from "@agent-history/format-kit";
import type { AnswerReader, TargetFormat } from "@agent-history/format-kit";
import { fromContents, googleTarget, toGoogleRequest } from "@agent-history/google";
import { fromMessages, langChainTarget, toMessages } from "@agent-history/langchain";
import {
  chatTarget,
  fromChatMessages,
  fromResponseItems,
  responseTarget,
  toChatMessages,
  toResponseItems,
} from "@agent-history/openai";

import { anthropicWire } from "../src/servers/anthropic-wire.ts";
import { geminiWire } from "../src/servers/gemini-wire.ts";
import { openaiChatWire } from "../src/servers/openai-chat-wire.ts";
import { openaiResponsesWire } from "../src/servers/openai-responses-wire.ts";
import { objectsAt, textIn } from "../src/servers/read-wire.ts";
import type { Wire } from "../src/servers/wire.ts";
import { anthropicOf } from "./broken-anthropic.ts";
import { chatOf } from "./broken-chat.ts";
import { contentsOf } from "./broken-google.ts";
import { itemsOfScript } from "./broken-items.ts";
import { langchainOf } from "./broken-langchain.ts";
import { modelOf } from "./broken-model.ts";
import type { Script } from "./script.ts";

/** A format that a conversation can move from and to. */
export interface MovableFormat {
  readonly name: string;
  readonly of: (script: Script) => readonly JsonObject[];
  readonly read: (messages: readonly JsonObject[]) => readonly HistoryEntry[];
  readonly target: TargetFormat;
  readonly write: (entries: readonly HistoryEntry[]) => readonly JsonObject[];
}

/** One whose provider has a strict server. */
export interface ServedFormat extends MovableFormat {
  readonly wire: Wire;
  readonly body: (messages: readonly JsonObject[]) => JsonObject;
  /** The target for one reader. */
  readonly for: (reader: AnswerReader) => TargetFormat;
}

function asJson(messages: readonly unknown[]): readonly JsonObject[] {
  return objectsAt({ messages: toJson(messages) }, "messages");
}

function withRole<Message extends JsonObject>(messages: readonly Message[]) {
  return messages.map((message) => ({ ...message, role: textIn(message["role"]) }));
}

const items = {
  name: "Responses",
  of: itemsOfScript,
  read: (all: readonly JsonObject[]) => fromResponseItems(all),
  target: responseTarget({ store: false }),
  for: (reader: AnswerReader) => responseTarget({ store: false, ...reader }),
  write: (entries: readonly HistoryEntry[]) => asJson(toResponseItems(entries)),
  wire: openaiResponsesWire,
  body: (input: readonly JsonObject[]) => ({ model: "gpt-5.1", store: false, input }),
};

/** Formats with a strict server. */
export const servedFormats: readonly ServedFormat[] = [
  {
    name: "chat completions",
    of: chatOf,
    read: (messages) => fromChatMessages(withRole(messages)),
    target: chatTarget(),
    for: (reader) => chatTarget(reader),
    write: (entries) => asJson(toChatMessages(entries)),
    wire: openaiChatWire,
    body: (messages) => ({ model: "gpt-5.1", messages }),
  },
  items,
  {
    ...items,
    name: "Responses that are stored",
    target: responseTarget(),
    for: (reader) => responseTarget(reader),
    body: (input) => ({ model: "gpt-5.1", input }),
  },
  {
    name: "Anthropic",
    of: anthropicOf,
    read: (messages) => fromAnthropicMessages(withRole(messages)),
    target: anthropicTarget(),
    for: (reader) => anthropicTarget(reader),
    write: (entries) => asJson(toAnthropicRequest(entries).messages),
    wire: anthropicWire,
    body: (messages) => ({ model: "claude-opus-5-5", max_tokens: 64, messages }),
  },
  {
    name: "Gemini",
    of: contentsOf,
    read: (contents) => fromContents(contents),
    target: googleTarget(),
    for: (reader) => googleTarget(reader),
    write: (entries) => asJson(toGoogleRequest(entries).contents),
    wire: geminiWire,
    body: (contents) => ({ model: "gemini-3-pro", contents }),
  },
];

/** All formats; what an SDK sends of its own messages needs the SDK. */
export const movableFormats: readonly MovableFormat[] = [
  ...servedFormats,
  {
    name: "the AI SDK",
    of: modelOf,
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a message of another shape is what is tried
    read: (messages) => fromModelMessages(messages as never),
    target: modelTarget(),
    write: (entries) => asJson(toModelMessages(entries)),
  },
  {
    name: "LangChain",
    of: langchainOf,
    read: (messages) => fromMessages(messages),
    target: langChainTarget(),
    write: (entries) => asJson(toMessages(entries)),
  },
];
