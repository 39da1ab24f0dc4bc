import { messageRole } from "@agent-history/core";
import type { HistoryEntry, JsonObject, ObservationEntry, Viewer } from "@agent-history/core";

import type { EntryDraft } from "./internal/entry-draft.ts";
import type { MessageFormat, ReadContext } from "./internal/message-format.ts";
import { readContent, writeContent } from "./internal/part-codec.ts";
import { shownContent } from "./internal/shown-content.ts";
import { nameOf } from "./internal/wire-text.ts";
import { withoutUndefined } from "./internal/without-undefined.ts";
import { readAssistant, writeAssistant } from "./openai-chat-assistant.ts";
import { openAIChatParts } from "./openai-chat-parts.ts";

const NAME = "openai-chat";

/** OpenAI chat completion messages: one message is one entry. */
export const openAIChatFormat: MessageFormat = { name: NAME, read: readMessage, write: writeRun };

function readMessage(message: JsonObject, context: ReadContext): readonly EntryDraft[] {
  const content = readContent(message["content"], openAIChatParts);
  switch (message["role"]) {
    case "system":
    case "developer":
      return [{ says: { type: "system_message", content } }];
    case "user":
      return [{ says: { type: "user_message", content } }];
    case "assistant":
      return [readAssistant(message, context)];
    case "tool":
      return [readToolMessage(message, context)];
    case "function":
      return [readFunctionMessage(message, context)];
    default:
      return [];
  }
}

function readToolMessage(message: JsonObject, { index, waiting }: ReadContext): EntryDraft {
  const id = nameOf(message["tool_call_id"]);
  const call = waiting.answer(id ?? "");
  const name = nameOf(message["name"]);
  return {
    says: {
      type: "observation",
      callId: id ?? call?.id ?? `call_${index}`,
      toolName: name ?? call?.name ?? "unknown_tool",
      outcome: "success",
      content: readContent(message["content"], openAIChatParts),
    },
    ...(name !== undefined && { extra: { as: "named" } }),
  };
}

function readFunctionMessage(message: JsonObject, { index, waiting }: ReadContext): EntryDraft {
  const name = nameOf(message["name"]) ?? "unknown_tool";
  return {
    says: {
      type: "observation",
      callId: waiting.answer(`function_call ${name}`)?.id ?? `call_${index}`,
      toolName: name,
      outcome: "success",
      content: readContent(message["content"], openAIChatParts),
    },
    extra: { as: "function" },
  };
}

function writeRun([entry]: readonly [HistoryEntry, ...HistoryEntry[]], viewer: Viewer): JsonObject {
  const isOwn = entry.origin?.format === NAME;
  if (entry.type === "observation") return writeResult(entry, isOwn);
  const role = messageRole(entry, viewer);
  const content = shownContent(entry);
  return role === "assistant"
    ? writeAssistant(entry, isOwn)
    : { role, content: writeContent(content ?? "", openAIChatParts, isOwn) };
}

function writeResult(entry: ObservationEntry, isOwn: boolean): JsonObject {
  const content = writeContent(shownContent(entry) ?? "", openAIChatParts, isOwn);
  const as = isOwn ? entry.origin?.extra?.["as"] : undefined;
  if (as === "function") return { role: "function", name: entry.toolName, content };
  const name = as === "named" ? entry.toolName : undefined;
  return withoutUndefined({ role: "tool", tool_call_id: entry.callId, name, content });
}
