import {
  fromModelMessages,
  fromUIMessages,
  modelTarget,
  toModelMessages,
  toUIMessages,
} from "@agent-history/ai-sdk";
import {
  anthropicTarget,
  fromAnthropicMessages,
  toAnthropicRequest,
  toToolDefinitions as toAnthropicDefinitions,
} from "@agent-history/anthropic";
import { HistoryError } from "@agent-history/core";
import type { HistoryEntry, JsonObject, JsonValue, ToolDefinition } from "@agent-history/core";
import { decodeEntry, parseEntry } from "@agent-history/core/schema";
import { isJsonObject, textOf, toolParameters } from "@agent-history/format-kit";
import type { TargetFormat } from "@agent-history/format-kit";
import {
  fromContents,
  fromInteractionSteps,
  googleTarget,
  interactionTarget,
  toGoogleRequest,
  toInteractionRequest,
  toToolDefinitions as toGoogleDefinitions,
} from "@agent-history/google";
import {
  chatTarget,
  fromChatMessages,
  fromResponseItems,
  responseTarget,
  toChatMessages,
  toResponseItems,
  toToolDefinitions as toOpenAIDefinitions,
} from "@agent-history/openai";
import type { OpenAIHost } from "@agent-history/openai";

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
  readonly target?: (host?: OpenAIHost) => TargetFormat;
}

const openaiTools: MessageCodec["tools"] = (tools) =>
  toOpenAIDefinitions(allOf(tools, hasType, "tool"));
const googleTools: MessageCodec["tools"] = (tools) =>
  toGoogleDefinitions(allOf(tools, isJsonObject, "tool"));

/** The codec of each format. */
export const messageCodecs: Readonly<Record<FileFormat, MessageCodec>> = {
  chat: {
    list: "messages",
    read: (messages) => fromChatMessages(allOf(messages, hasRole)),
    write: (entries) => ({ messages: toChatMessages(entries) }),
    tools: openaiTools,
    target: (host) => chatTarget({ host }),
  },
  responses: {
    list: "input",
    read: (messages, { instructions }) =>
      fromResponseItems(messages, typeof instructions === "string" ? { instructions } : {}),
    write: (entries) => ({ input: toResponseItems(entries) }),
    tools: openaiTools,
    target: (host) => responseTarget({ host }),
  },
  anthropic: {
    list: "messages",
    read: (messages, { system }) => {
      const blocks = Array.isArray(system) ? system.filter(isJsonObject) : textOf(system);
      return fromAnthropicMessages(allOf(messages, hasRole), { system: blocks });
    },
    write: (entries) => toAnthropicRequest(entries),
    tools: (tools) => toAnthropicDefinitions(allOf(tools, isJsonObject, "tool")),
    target: () => anthropicTarget(),
  },
  google: {
    list: "contents",
    read: (messages, { systemInstruction: said }) =>
      fromContents(
        messages,
        typeof said === "string" || isJsonObject(said) ? { systemInstruction: said } : {},
      ),
    write: (entries) => toGoogleRequest(entries),
    tools: googleTools,
    target: () => googleTarget(),
  },
  "google-interactions": {
    list: "input",
    read: (messages, { system_instruction: said }) =>
      fromInteractionSteps(messages, typeof said === "string" ? { systemInstruction: said } : {}),
    write: (entries) => toInteractionRequest(entries),
    tools: googleTools,
    target: () => interactionTarget(),
  },
  "ai-sdk": {
    list: "messages",
    read: (messages) => fromModelMessages(allOf(messages, isModelMessage)),
    write: (entries) => ({ messages: toModelMessages(entries) }),
    tools: toolSetDefinitions,
    target: () => modelTarget(),
  },
  "ai-sdk-ui": {
    list: "messages",
    read: (messages) => fromUIMessages(allOf(messages, isUIMessage)),
    write: (entries) => ({ messages: toUIMessages(entries) }),
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

type ModelMessageLike = JsonObject & Parameters<typeof fromModelMessages>[0][number];

function isModelMessage(message: JsonObject): message is ModelMessageLike {
  return ["system", "user", "assistant", "tool"].some((role) => role === message["role"]);
}

type UIMessageLike = JsonObject & Parameters<typeof fromUIMessages>[0][number];

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
