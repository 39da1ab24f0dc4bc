import { fromModelMessages } from "@agent-history/ai-sdk";
import { fromAnthropicMessages } from "@agent-history/anthropic";
import { observation, systemMessage, userMessage } from "@agent-history/core";
import type { HistoryEntry, JsonObject } from "@agent-history/core";
import { countedIds, isJsonObject, nameOf, textOf } from "@agent-history/format-kit";
import type { ReadOptions } from "@agent-history/format-kit";
import { fromChatMessages, fromResponseItems } from "@agent-history/openai";

import { entryText } from "./entry-text.ts";
import { lineReader } from "./internal/line-reader.ts";
import { answerEntry, sessionLog, timeOf, UNKNOWN_TOOL } from "./internal/session-log.ts";
import type { SessionLog } from "./internal/session-log.ts";
import type {
  TranscriptItem,
  TranscriptReader,
  TranscriptReaderOptions,
} from "./transcript-item.ts";

/**
 * Reads plain messages, one per line, or requests with messages: of OpenAI's Chat Completions (`chat`) and Responses (`responses`), of Anthropic, of the AI SDK (model and UI messages), and our own
 * `entries`, also as a thread written by `exportThread`. Messages contain no usage, so there are no calls: tokens are counted once, and the cache is not explained.
 *
 * @example
 * ```ts
 * import { messageReader } from "@agent-history/transcripts";
 *
 * const reader = messageReader("chat");
 * reader.read('{"role":"user","content":"Run the tests."}').map(({ kind }) => kind);
 * // => ["turn", "entry"]
 * ```
 */
export function messageReader(
  format: MessageFormat,
  { entries = true }: TranscriptReaderOptions = {},
): TranscriptReader {
  const log = sessionLog(entries);
  return lineReader({
    read: (object, number) => {
      const list = object[messageFormats[format].list];
      const messages = Array.isArray(list) ? list.filter(isJsonObject) : [object];
      return [systemOf(object), ...messages].flatMap((message) =>
        message === undefined ? [] : readMessage(log, format, message, number),
      );
    },
    end: () => [],
  });
}

/** Returns the system prompt of a request, which is separate from its messages. */
function systemOf({ system, instructions }: JsonObject): JsonObject | undefined {
  const content = textOf(system) ?? textOf(instructions);
  return content === undefined ? undefined : { role: "system", content };
}

function readMessage(
  log: SessionLog,
  format: MessageFormat,
  message: JsonObject,
  number: number,
): readonly TranscriptItem[] {
  // In an exported thread, a summary is listed in addition to the entries that it covers.
  if (format === "entries" && message["kind"] === "summary") {
    return [{ kind: "compaction", line: number, how: "summary" }];
  }
  const { toEntries } =
    messageFormats[message["role"] === "system" && format === "anthropic" ? "chat" : format];
  const atMs = timeOf(message["createdAtMs"] ?? message["createdAt"] ?? message["timestamp"]) ?? 0;
  const origin = log.locate(number);
  const named = toEntries(message, { newId: countedIds(origin.node), now: () => atMs });
  // Results are in a user message if the provider has no role for them.
  const request = named.find(({ type }) => type === "user_message" || type === "task");
  const turn = request ? [log.turn(number, atMs, entryText(request))] : [];
  const turnId = log.turnId();
  const inTurn = (entry: HistoryEntry): HistoryEntry =>
    turnId === undefined || entry.turnId !== undefined || entry.type === "system_message"
      ? entry
      : { ...entry, turnId };
  return [...turn, ...log.write(named.map(inTurn), origin)];
}

/** The formats of plain messages: of OpenAI's Chat Completions and Responses, of Anthropic, of the AI SDK, and our own entries. */
export type MessageFormat = "chat" | "responses" | "anthropic" | "ai-sdk" | "entries";

/** Recognizes and reads the messages of a format. */
interface MessageReading {
  /** Returns whether a message can only be of this format. */
  readonly isOwn: (message: JsonObject) => boolean;
  readonly toEntries: (message: JsonObject, options: ReadOptions) => readonly HistoryEntry[];
  /** The field of a request or document that contains its messages. */
  readonly list: "messages" | "input" | "entries";
}

/** The formats, the most general last: plain text with a role counts as a chat message. */
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

/** Returns whether an object is a response of Anthropic's API. */
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

/** Reads a bare entry, or one in a line of an exported thread, which has the version of the stored form. */
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

/**
 * Reads a stored UI message of the AI SDK for measuring: texts, tool calls and results, by step. For lossless conversion use `fromUIMessages` of `@agent-history/ai-sdk`, which needs the SDK.
 */
function fromStoredUIMessage(
  { role, parts }: JsonObject,
  { newId, now = Date.now }: ReadOptions,
): readonly HistoryEntry[] {
  const fields = () => ({ id: newId?.() ?? "", createdAtMs: now() });
  const all = Array.isArray(parts) ? parts.filter(isJsonObject) : [];
  if (role === "system") return [systemMessage({ ...fields(), content: textIn(all) })];
  if (role !== "assistant") return [userMessage({ ...fields(), content: textIn(all) })];
  return stepsOf(all).flatMap((step) => {
    const tools = step.filter(isToolPart).map((part) => ({
      part,
      id: nameOf(part["toolCallId"]) ?? UNKNOWN_TOOL,
      name: nameOf(part["toolName"]) ?? nameOf(textOf(part["type"])?.replace(/^tool-/, "")),
      input: part["input"],
    }));
    const content = textIn(step);
    if (content === "" && tools.length === 0) return [];
    const own = fields();
    const results = tools.flatMap(({ id, name = UNKNOWN_TOOL, part }) => {
      const { state, output, errorText } = part;
      const isError = state === "output-error";
      if (!isError && state !== "output-available") return [];
      const given = isError ? errorText : output;
      return observation({
        ...fields(),
        callId: id,
        toolName: name,
        outcome: isError ? "error" : "success",
        content: textOf(given) ?? JSON.stringify(given ?? ""),
      });
    });
    return [answerEntry(content, tools, own), ...results];
  });
}

/** Splits an answer into steps, one per model call. */
function stepsOf(parts: readonly JsonObject[]): readonly (readonly JsonObject[])[] {
  const steps: JsonObject[][] = [[]];
  for (const part of parts) {
    if (part["type"] === "step-start") steps.push([]);
    else steps.at(-1)?.push(part);
  }
  return steps;
}

function textIn(parts: readonly JsonObject[]): string {
  return parts
    .filter(({ type }) => type === "text")
    .flatMap(({ text }) => textOf(text) ?? [])
    .join("\n");
}

function isToolPart({ type }: JsonObject): boolean {
  return typeof type === "string" && (type.startsWith("tool-") || type === "dynamic-tool");
}
