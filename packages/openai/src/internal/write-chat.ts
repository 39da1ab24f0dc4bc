import { messageRole } from "@agent-history/core";
import type {
  ContentPart,
  HistoryEntry,
  JsonObject,
  JsonValue,
  ObservationEntry,
} from "@agent-history/core";
import {
  indexOf,
  partsOf,
  placeCalls,
  shownContent,
  withoutUndefined,
  writeContent,
} from "@agent-history/format-kit";
import type { WriteContext } from "@agent-history/format-kit";

import { chatParts, foreignChatContent, isFunctionCall, writeChatCall } from "./chat-parts.ts";
import { SIGNED_FIELDS } from "./read-chat.ts";

/** Writes an entry as a chat message: its original message with the present content, or one by its role. */
export function writeChatMessage(entry: HistoryEntry, context: WriteContext): JsonObject {
  const { isOwn, viewer } = context;
  const role = isOwn ? messageRole(entry) : messageRole(entry, viewer);
  switch (role) {
    case "assistant":
      return isOwn ? writeOwnAssistant(entry) : writeForeignAssistant(entry);
    case "tool":
      if (entry.type === "observation") return writeResult(entry, context);
      break;
    case "system":
    case "user":
      break;
  }
  return { role, content: writeShown(entry, role, isOwn) };
}

function writeShown(
  entry: HistoryEntry,
  role: "system" | "user" | "assistant" | "tool",
  isOwn: boolean,
): string | readonly JsonValue[] {
  const shown = shownContent(entry) ?? "";
  return writeContent(isOwn ? shown : foreignChatContent(shown, role), chatParts, isOwn);
}

function writeResult(entry: ObservationEntry, { isOwn, callOf }: WriteContext): JsonObject {
  const content = writeShown(entry, "tool", isOwn);
  const as = isOwn ? entry.origin?.extra?.["as"] : undefined;
  const call = isOwn ? undefined : callOf(entry);
  if (as === "function") return { role: "function", name: entry.toolName, content };
  // OpenAI accepts only a `function` message as the result of a `function_call`.
  if (call !== undefined && isFunctionCall(call)) {
    return { role: "function", name: call.name, content };
  }
  const name = as === "named" ? entry.toolName : undefined;
  return withoutUndefined({ role: "tool", tool_call_id: entry.callId, name, content });
}

function writeForeignAssistant(entry: HistoryEntry): JsonObject {
  const content = writeShown(entry, "assistant", false);
  if (entry.type !== "action") return { role: "assistant", content };
  const calls = entry.toolCalls.map((call) => writeChatCall(call, false));
  return withoutUndefined({ role: "assistant", content: content || undefined, tool_calls: calls });
}

function writeOwnAssistant(entry: HistoryEntry): JsonObject {
  const calls = entry.type === "action" ? entry.toolCalls : [];
  const legacy = calls.find((call) => isFunctionCall(call));
  const listed = calls
    .filter((call) => !isFunctionCall(call))
    .map((call) => writeChatCall(call, true));
  const unknown = fieldParts(entry, "tool_calls").map((part) => ({
    block: dataOf(part),
    index: indexOf(part.extra?.["index"]),
  }));
  const toolCalls = placeCalls<JsonValue>(listed, unknown);
  const [refusal] = fieldParts(entry, "refusal");
  const [thought] = fieldParts(entry, "reasoning_content");
  const signed = SIGNED_FIELDS.map((field) => [field, fieldParts(entry, field)[0]?.extra?.[field]]);
  const [audio] = fieldParts(entry, "audio");
  return withoutUndefined({
    role: "assistant",
    content: writeText(entry),
    refusal: refusal?.type === "text" ? refusal.text : undefined,
    reasoning_content: thought?.type === "reasoning" ? thought.text : undefined,
    ...Object.fromEntries(signed),
    audio: audio && dataOf(audio),
    tool_calls: toolCalls.length > 0 ? toolCalls : undefined,
    function_call: legacy && writeChatCall(legacy, true),
  });
}

/** Writes the `content` field; `undefined` if all parts belong to other fields. */
function writeText({ content }: HistoryEntry): JsonValue | undefined {
  if (content === undefined || typeof content === "string") return content;
  const own = content.filter((part) => part.extra?.["field"] === undefined);
  const [first] = own;
  const text = first?.type === "text" && first.extra?.["as"] === "content" ? first.text : undefined;
  if (text !== undefined && own.length === 1) return text;
  // A repair made text of other fields, so that `content` is no longer one text.
  const parts = text === "" ? own.slice(1) : own;
  return parts.length === 0 && content.length > 0
    ? undefined
    : writeContent(parts, chatParts, true);
}

/** Returns the parts that were in a field of their own. */
function fieldParts(entry: HistoryEntry, field: string): readonly ContentPart[] {
  return partsOf(entry.content).filter((part) => part.extra?.["field"] === field);
}

function dataOf(part: ContentPart): JsonValue {
  return part.type === "opaque" ? part.data : null;
}
