import { fromModelMessages } from "@agent-history/ai-sdk";
import { fromAnthropicMessages } from "@agent-history/anthropic";
import type { HistoryEntry, JsonObject } from "@agent-history/core";
import { isJsonObject } from "@agent-history/format-kit";
import type { ReadOptions } from "@agent-history/format-kit";
import { fromChatMessages, fromResponseItems } from "@agent-history/openai";

import { fromStoredUIMessage } from "./stored-ui-message.ts";

/** The formats of plain messages: of OpenAI's Chat Completions and Responses, of Anthropic, of the AI SDK, and our own entries. */
export type MessageFormat = "chat" | "responses" | "anthropic" | "ai-sdk" | "entries";

/** How the messages of a format are recognized and read. */
interface MessageReading {
  /** Whether a message is of this format and of no other. */
  readonly isOwn: (message: JsonObject) => boolean;
  readonly toEntries: (message: JsonObject, options: ReadOptions) => readonly HistoryEntry[];
  /** Where a request or a document holds its messages. */
  readonly list: "messages" | "input" | "entries";
}

/** By format, the most general last: plain text under a role is a chat message. */
export const messageFormats: Readonly<Record<MessageFormat, MessageReading>> = {
  entries: {
    isOwn: (message) => entryIn(message) !== undefined,
    toEntries: (message) => entryIn(message) ?? [],
    list: "entries",
  },
  responses: {
    isOwn: ({ type }) => typeof type === "string" && RESPONSE_ITEMS.test(type),
    toEntries: (item, options) => fromResponseItems([item], options),
    list: "input",
  },
  "ai-sdk": {
    isOwn: (message) => isUIMessage(message) || hasPart(message, AI_SDK_PARTS),
    toEntries: (message, options) => {
      if (isUIMessage(message)) return fromStoredUIMessage(message, options);
      return isModelMessage(message) ? fromModelMessages([message], options) : [];
    },
    list: "messages",
  },
  anthropic: {
    isOwn: (message) => hasPart(message, ANTHROPIC_BLOCKS) || isAnthropicAnswer(message),
    toEntries: (message, options) =>
      hasRole(message) ? fromAnthropicMessages([message], options) : [],
    list: "messages",
  },
  chat: {
    isOwn: hasRole,
    toEntries: (message, options) => (hasRole(message) ? fromChatMessages([message], options) : []),
    list: "messages",
  },
};

const RESPONSE_ITEMS =
  /^(?:message|reasoning|compaction|item_reference|(?:function|custom_tool|computer|shell|local_shell|apply_patch|mcp|web_search|file_search|code_interpreter|image_generation)_call(?:_output)?)$/;
const AI_SDK_PARTS = /^(?:tool-call|tool-result|tool-approval-re(?:quest|sponse)|file|reasoning)$/;
const ANTHROPIC_BLOCKS =
  /^(?:tool_use|tool_result|thinking|redacted_thinking|server_tool_use|document|[a-z_]+_tool_result)$/;

function hasPart({ role, content }: JsonObject, types: RegExp): boolean {
  const parts = typeof role === "string" && Array.isArray(content) ? content : [];
  return parts.some(
    (part) => isJsonObject(part) && typeof part["type"] === "string" && types.test(part["type"]),
  );
}

function hasRole(message: JsonObject): message is JsonObject & { readonly role: string } {
  return typeof message["role"] === "string";
}

/** A whole answer of Anthropic's API. */
function isAnthropicAnswer({ type, role, content }: JsonObject): boolean {
  return type === "message" && role === "assistant" && Array.isArray(content);
}

function isUIMessage({ role, parts }: JsonObject): boolean {
  return typeof role === "string" && Array.isArray(parts);
}

function isModelMessage(
  message: JsonObject,
): message is JsonObject & Parameters<typeof fromModelMessages>[0][number] {
  return ["system", "user", "assistant", "tool"].some((role) => role === message["role"]);
}

/** An entry by itself, or in a line of an exported thread, where the version of the stored form stands in it. */
function entryIn(message: JsonObject): readonly HistoryEntry[] | undefined {
  if (isEntry(message)) return [message];
  const { kind, entry } = message;
  if (kind !== "entry" || !isJsonObject(entry)) return undefined;
  const { v: _, ...stored } = entry;
  return isEntry(stored) ? [stored] : undefined;
}

function isEntry(message: JsonObject): message is JsonObject & HistoryEntry {
  const { id, createdAtMs, type } = message;
  return typeof type === "string" && typeof id === "string" && typeof createdAtMs === "number";
}
