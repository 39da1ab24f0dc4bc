import * as sdk from "@agent-history/ai-sdk";
import * as anthropic from "@agent-history/anthropic";
import type { HistoryEntry, JsonObject, JsonValue, ToolDefinition } from "@agent-history/core";
import { decodeEntry, parseEntry } from "@agent-history/core/schema";
import { isJsonObject, textOf } from "@agent-history/format-kit";
import type { TargetFormat } from "@agent-history/format-kit";
import * as google from "@agent-history/google";
import * as openai from "@agent-history/openai";

import type { FileFormat } from "./file-formats.ts";

/** Reads and writes the messages of one format. The readers accept JSON of any shape: `never` stands for the SDK's type. */
interface MessageCodec {
  /** The field of a request that holds its messages. */
  readonly list: "messages" | "input" | "contents" | "entries";
  /** Reads the messages of a request. `fields` are its other fields: `system`, `instructions`, `tools`, `model`. */
  readonly read: (
    messages: readonly never[],
    fields: JsonObject,
  ) => readonly HistoryEntry[] | Promise<readonly HistoryEntry[]>;
  /** Returns the fields of a request: the list, and the fields that the format keeps beside it. */
  readonly write: (entries: readonly HistoryEntry[]) => object;
  /** Reads tools in the SDK's shape. */
  readonly tools: (tools: never) => readonly ToolDefinition[];
  /** The rules of the API; missing if no API takes the format. */
  readonly target?: (host?: openai.OpenAIHost) => TargetFormat;
}

/** The codec of each format. */
export const messageCodecs: Readonly<Record<FileFormat, MessageCodec>> = {
  anthropic: {
    list: "messages",
    read: (messages, { system }) => {
      const blocks = Array.isArray(system) ? system.filter(isJsonObject) : textOf(system);
      return anthropic.fromAnthropicMessages(messages, { system: blocks });
    },
    write: (entries) => anthropic.toAnthropicRequest(entries),
    tools: anthropic.toToolDefinitions,
    target: () => anthropic.anthropicTarget(),
  },
  google: {
    list: "contents",
    read: (messages, { systemInstruction: said }) => {
      const systemInstruction = isJsonObject(said) ? said : textOf(said);
      return google.fromContents(messages, { systemInstruction });
    },
    write: (entries) => google.toGoogleRequest(entries),
    tools: google.toToolDefinitions,
    target: () => google.googleTarget(),
  },
  "google-interactions": {
    list: "input",
    read: (messages, { system_instruction: said }) =>
      google.fromInteractionSteps(messages, { systemInstruction: textOf(said) }),
    write: (entries) => google.toInteractionRequest(entries),
    tools: google.toToolDefinitions,
    target: () => google.interactionTarget(),
  },
  "openai-chat": {
    list: "messages",
    read: (messages) => openai.fromChatMessages(messages),
    write: (entries) => ({ messages: openai.toChatMessages(entries) }),
    tools: openai.toToolDefinitions,
    target: (host) => openai.chatTarget({ host }),
  },
  "openai-responses": {
    list: "input",
    read: (messages, { instructions }) =>
      openai.fromResponseItems(messages, { instructions: textOf(instructions) }),
    write: (entries) => ({ input: openai.toResponseItems(entries) }),
    tools: openai.toToolDefinitions,
    target: (host) => openai.responseTarget({ host }),
  },
  "ai-sdk": {
    list: "messages",
    read: (messages) => sdk.fromModelMessages(messages),
    write: (entries) => ({ messages: sdk.toModelMessages(entries) }),
    tools: sdk.toToolDefinitionsSync,
    target: () => sdk.modelTarget(),
  },
  "ai-sdk-ui": {
    list: "messages",
    read: (messages) => sdk.fromUIMessages(messages),
    write: (entries) => ({ messages: sdk.toUIMessages(entries) }),
    tools: sdk.toToolDefinitionsSync,
  },
  entries: {
    list: "entries",
    read: (lines: readonly JsonObject[]) => lines.flatMap(entriesIn),
    write: (entries) => ({ entries }),
    tools: openai.toToolDefinitions,
  },
};

/** Reads the tools of a request, if it has any. */
export function toolsIn(
  format: FileFormat,
  tools: JsonValue | undefined,
): readonly ToolDefinition[] | undefined {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- tools of another shape are refused by the format
  return tools ? messageCodecs[format].tools(tools as never) : undefined;
}

/** Returns an entry, or the entries in a line of an exported thread. Its summaries and states are ignored. */
function entriesIn(line: JsonObject): readonly HistoryEntry[] {
  const { kind, entry } = line;
  if (typeof kind !== "string") return [parseEntry(line)];
  return kind === "entry" ? [decodeEntry(entry)] : [];
}
