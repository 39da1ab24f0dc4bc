import { messageRole } from "@agent-history/core";
import type {
  Content,
  HistoryEntry,
  JsonObject,
  ObservationEntry,
  Viewer,
} from "@agent-history/core";
import { isResultMedia } from "@agent-history/core/result-media";
import {
  nameOf,
  readContent,
  shownContent,
  withoutUndefined,
  writeContent,
} from "@agent-history/format-kit";
import type { ParsedMessage, MessageFormat, ReadContext } from "@agent-history/format-kit";

import { readAssistant, writeForeignAssistant, writeOwnAssistant } from "./assistant-message.ts";
import { chatParts } from "./chat-parts.ts";
import { writeForeignContent } from "./write-foreign-content.ts";

/** Stands in `origin.format` of what came as chat messages. */
export const CHAT_FORMAT = "openai-chat";

/** Messages of chat completions. */
export const chatFormat: MessageFormat = {
  name: CHAT_FORMAT,
  idPrefix: "chat",
  types: [
    "system_message",
    "user_message",
    "assistant_message",
    "action",
    "observation",
    "global_observation",
  ],
  shape: "one-to-one",
  read: (message, context) => {
    const draft = readMessage(message, context);
    return draft === undefined ? [] : [draft];
  },
  write: ([entry], { isOwn, viewer }) => (isOwn ? writeOwn(entry) : writeForeign(entry, viewer)),
};

function readMessage(message: JsonObject, context: ReadContext): ParsedMessage | undefined {
  const { role, content } = message;
  switch (role) {
    case "system":
    case "developer":
      return { says: { type: "system_message", content: readContent(content, chatParts) } };
    case "user":
      return readUserMessage(readContent(content, chatParts));
    case "assistant":
      return readAssistant(message, context);
    case "tool":
      return readToolMessage(message, context);
    case "function":
      return readFunctionMessage(message, context);
    default:
      return undefined;
  }
}

/** What shows the images and files of results is nobody's request. */
function readUserMessage(content: Content): ParsedMessage {
  const type = isResultMedia(content) ? "global_observation" : "user_message";
  return { says: { type, content } };
}

function readToolMessage(message: JsonObject, { index, waiting }: ReadContext): ParsedMessage {
  const id = nameOf(message["tool_call_id"]);
  const call = waiting.answer(id ?? "");
  const name = nameOf(message["name"]);
  return {
    says: {
      type: "observation",
      callId: id ?? call?.id ?? `call_${index}`,
      toolName: name ?? call?.name ?? "unknown_tool",
      outcome: "success",
      content: readContent(message["content"], chatParts),
    },
    ...(name !== undefined && { extra: { as: "named" } }),
  };
}

function readFunctionMessage(message: JsonObject, { index, waiting }: ReadContext): ParsedMessage {
  const name = nameOf(message["name"]) ?? "unknown_tool";
  return {
    says: {
      type: "observation",
      callId: waiting.answer(`function_call ${name}`)?.id ?? `call_${index}`,
      toolName: name,
      outcome: "success",
      content: readContent(message["content"], chatParts),
    },
    extra: { as: "function" },
  };
}

function writeOwn(entry: HistoryEntry): JsonObject {
  if (entry.type === "observation") return writeOwnResult(entry);
  const role = messageRole(entry);
  return role === "assistant"
    ? writeOwnAssistant(entry)
    : { role, content: writeContent(shownContent(entry) ?? "", chatParts, true) };
}

function writeOwnResult(entry: ObservationEntry): JsonObject {
  const content = writeContent(shownContent(entry) ?? "", chatParts, true);
  const as = entry.origin?.extra?.["as"];
  if (as === "function") return { role: "function", name: entry.toolName, content };
  const name = as === "named" ? entry.toolName : undefined;
  return withoutUndefined({ role: "tool", tool_call_id: entry.callId, name, content });
}

function writeForeign(entry: HistoryEntry, viewer: Viewer): JsonObject {
  const role = messageRole(entry, viewer);
  const shown = shownContent(entry);
  if (role === "assistant") return writeForeignAssistant(entry, shown);
  const content = writeForeignContent(shown ?? "", role);
  return entry.type === "observation"
    ? { role, tool_call_id: entry.callId, content }
    : { role, content };
}
