import * as sdk from "@agent-history/ai-sdk";
import * as anthropic from "@agent-history/anthropic";
import { HistoryError } from "@agent-history/core";
import type { HistoryEntry, JsonObject, JsonValue, ToolDefinition } from "@agent-history/core";
import { decodeEntry, parseEntry } from "@agent-history/core/schema";
import { isJsonObject, textOf, toolParameters } from "@agent-history/format-kit";
import type { TargetFormat } from "@agent-history/format-kit";
import * as google from "@agent-history/google";
import * as openai from "@agent-history/openai";

import type { FileFormat } from "./file-formats.ts";

/** Reads and writes the messages of one format. */
interface MessageCodec {
  /** The field of a request that holds its messages. */
  readonly list: "messages" | "input" | "contents" | "entries";
  /** Reads the messages of a request. `fields` are its other fields: `system`, `instructions`, `tools`, `model`. */
  readonly read: (
    messages: readonly JsonObject[],
    fields: JsonObject,
  ) => readonly HistoryEntry[] | Promise<readonly HistoryEntry[]>;
  /** Returns the fields of a request: the list, and the fields that the format keeps beside it. */
  readonly write: (entries: readonly HistoryEntry[]) => object;
  /** Reads tools in the SDK's shape. */
  readonly tools: (tools: JsonValue) => readonly ToolDefinition[];
  /** The rules of the API; missing if no API takes the format. */
  readonly target?: (host?: openai.OpenAIHost) => TargetFormat;
}

const openaiTools: MessageCodec["tools"] = (tools) =>
  openai.toToolDefinitions(allOf(tools, hasType, "tool"));
const googleTools: MessageCodec["tools"] = (tools) =>
  google.toToolDefinitions(allOf(tools, isJsonObject, "tool"));

/** The codec of each format. */
export const messageCodecs: Readonly<Record<FileFormat, MessageCodec>> = {
  chat: {
    list: "messages",
    read: (messages) => openai.fromChatMessages(allOf(messages, hasRole)),
    write: (entries) => ({ messages: openai.toChatMessages(entries) }),
    tools: openaiTools,
    target: (host) => openai.chatTarget({ host }),
  },
  responses: {
    list: "input",
    read: (messages, { instructions }) =>
      openai.fromResponseItems(messages, typeof instructions === "string" ? { instructions } : {}),
    write: (entries) => ({ input: openai.toResponseItems(entries) }),
    tools: openaiTools,
    target: (host) => openai.responseTarget({ host }),
  },
  anthropic: {
    list: "messages",
    read: (messages, { system }) => {
      const blocks = Array.isArray(system) ? system.filter(isJsonObject) : textOf(system);
      return anthropic.fromAnthropicMessages(allOf(messages, hasRole), { system: blocks });
    },
    write: (entries) => anthropic.toAnthropicRequest(entries),
    tools: (tools) => anthropic.toToolDefinitions(allOf(tools, isJsonObject, "tool")),
    target: () => anthropic.anthropicTarget(),
  },
  google: {
    list: "contents",
    read: (messages, { systemInstruction: said }) =>
      google.fromContents(
        messages,
        typeof said === "string" || isJsonObject(said) ? { systemInstruction: said } : {},
      ),
    write: (entries) => google.toGoogleRequest(entries),
    tools: googleTools,
    target: () => google.googleTarget(),
  },
  "google-interactions": {
    list: "input",
    read: (messages, { system_instruction: said }) =>
      google.fromInteractionSteps(
        messages,
        typeof said === "string" ? { systemInstruction: said } : {},
      ),
    write: (entries) => google.toInteractionRequest(entries),
    tools: googleTools,
    target: () => google.interactionTarget(),
  },
  "ai-sdk": {
    list: "messages",
    read: (messages) => sdk.fromModelMessages(allOf(messages, isModelMessage)),
    write: (entries) => ({ messages: sdk.toModelMessages(entries) }),
    tools: toolSetDefinitions,
    target: () => sdk.modelTarget(),
  },
  "ai-sdk-ui": {
    list: "messages",
    read: (messages) => sdk.fromUIMessages(allOf(messages, isUIMessage)),
    write: (entries) => ({ messages: sdk.toUIMessages(entries) }),
    tools: toolSetDefinitions,
  },
  entries: {
    list: "entries",
    read: (messages) => messages.flatMap(entriesIn),
    write: (entries) => ({ entries }),
    tools: openaiTools,
  },
};

/** Checks the type of every item; throws instead of skipping one. */
function allOf<Wanted extends JsonObject>(
  values: JsonValue,
  isWanted: (value: JsonObject) => value is Wanted,
  what: "message" | "tool" = "message",
): readonly Wanted[] {
  const list = Array.isArray(values) ? values : [values];
  return list.map((value, index) => {
    if (isJsonObject(value) && isWanted(value)) return value;
    throw new HistoryError(
      `Cannot read ${what} ${index + 1} in this format. Pass --from if the format is another one.`,
      { code: "INVALID_OPTION", details: { option: what, index } },
    );
  });
}

function hasRole(message: JsonObject): message is JsonObject & { readonly role: string } {
  return typeof message["role"] === "string";
}

function hasType(tool: JsonObject): tool is JsonObject & { readonly type: string } {
  return typeof tool["type"] === "string";
}

type ModelMessageLike = JsonObject & Parameters<typeof sdk.fromModelMessages>[0][number];

function isModelMessage(message: JsonObject): message is ModelMessageLike {
  return ["system", "user", "assistant", "tool"].some((role) => role === message["role"]);
}

type UIMessageLike = JsonObject & Parameters<typeof sdk.fromUIMessages>[0][number];

function isUIMessage(message: JsonObject): message is UIMessageLike {
  const { id, role, parts } = message;
  return typeof id === "string" && typeof role === "string" && Array.isArray(parts);
}

/** Reads an AI SDK tool set in JSON: tool names mapped to tools with a JSON Schema as input schema. */
function toolSetDefinitions(tools: JsonValue): readonly ToolDefinition[] {
  if (!isJsonObject(tools)) return openaiTools(tools);
  return Object.entries(tools).map(([name, tool]) => {
    const { description, inputSchema = null } = isJsonObject(tool) ? tool : {};
    const parameters = toolParameters(inputSchema, name);
    const said = textOf(description);
    return {
      name,
      ...(said !== undefined && { description: said }),
      ...(parameters && { parameters }),
    };
  });
}

/** Returns an entry, or the entries in a line of an exported thread. Its summaries and states are ignored. */
function entriesIn(line: JsonObject): readonly HistoryEntry[] {
  const { kind, entry } = line;
  if (typeof kind !== "string") return [parseEntry(line)];
  return kind === "entry" ? [decodeEntry(entry)] : [];
}
