import {
  fromModelMessages,
  fromUIMessages,
  toModelMessages,
  toUIMessages,
} from "@agent-history/ai-sdk";
import {
  fromAnthropicMessages,
  toAnthropicRequest,
  toToolDefinitions as toAnthropicDefinitions,
} from "@agent-history/anthropic";
import { isJsonObject } from "@agent-history/format-kit";
import {
  fromContents,
  fromInteractionSteps,
  toGoogleRequest,
  toInteractionRequest,
  toToolDefinitions as toGoogleDefinitions,
} from "@agent-history/google";
import {
  fromChatMessages,
  fromResponseItems,
  toChatMessages,
  toResponseItems,
  toToolDefinitions as toOpenAIDefinitions,
} from "@agent-history/openai";

import type { FileFormat } from "./file-formats.ts";
import type { MessageCodec } from "./message-codec.ts";
import {
  allOf,
  entriesIn,
  hasRole,
  hasType,
  isModelMessage,
  isUIMessage,
  toolSetDefinitions,
} from "./message-shapes.ts";

/** How the messages of each format are read and written. */
export const messageCodecs: Readonly<Record<FileFormat, MessageCodec>> = {
  chat: {
    list: "messages",
    read: ({ messages }) => fromChatMessages(allOf(messages, hasRole)),
    write: (entries) => ({ messages: toChatMessages(entries) }),
    tools: (tools) => toOpenAIDefinitions(allOf(tools, hasType, "tool")),
  },
  responses: {
    list: "input",
    read: ({ messages, fields: { instructions } }) =>
      fromResponseItems(messages, typeof instructions === "string" ? { instructions } : {}),
    write: (entries) => ({ input: toResponseItems(entries) }),
    tools: (tools) => toOpenAIDefinitions(allOf(tools, hasType, "tool")),
  },
  anthropic: {
    list: "messages",
    read: ({ messages, fields: { system } }) => {
      const read = allOf(messages, hasRole);
      if (Array.isArray(system)) {
        return fromAnthropicMessages(read, { system: system.filter(isJsonObject) });
      }
      return fromAnthropicMessages(read, typeof system === "string" ? { system } : {});
    },
    write: (entries) => toAnthropicRequest(entries),
    tools: (tools) => toAnthropicDefinitions(allOf(tools, isJsonObject, "tool")),
  },
  google: {
    list: "contents",
    read: ({ messages, fields: { systemInstruction } }) => {
      const isGiven = typeof systemInstruction === "string" || isJsonObject(systemInstruction);
      return fromContents(messages, isGiven ? { systemInstruction } : {});
    },
    write: (entries) => toGoogleRequest(entries),
    tools: (tools) => toGoogleDefinitions(allOf(tools, isJsonObject, "tool")),
  },
  "google-interactions": {
    list: "input",
    read: ({ messages, fields: { system_instruction: instruction } }) =>
      fromInteractionSteps(
        messages,
        typeof instruction === "string" ? { systemInstruction: instruction } : {},
      ),
    write: (entries) => toInteractionRequest(entries),
    tools: (tools) => toGoogleDefinitions(allOf(tools, isJsonObject, "tool")),
  },
  "ai-sdk": {
    list: "messages",
    read: ({ messages }) => fromModelMessages(allOf(messages, isModelMessage)),
    write: (entries) => ({ messages: toModelMessages(entries) }),
    tools: (tools) => toolSetDefinitions(tools),
  },
  "ai-sdk-ui": {
    list: "messages",
    read: ({ messages }) => fromUIMessages(allOf(messages, isUIMessage)),
    write: (entries) => ({ messages: toUIMessages(entries) }),
    tools: (tools) => toolSetDefinitions(tools),
  },
  entries: {
    list: "entries",
    read: ({ messages }) => messages.flatMap(entriesIn),
    write: (entries) => ({ entries }),
    tools: (tools) => toOpenAIDefinitions(allOf(tools, hasType, "tool")),
  },
};
