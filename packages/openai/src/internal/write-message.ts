import { messageRole } from "@agent-history/core";
import type { HistoryEntry, JsonObject, ObservationEntry, Viewer } from "@agent-history/core";
import {
  isJsonObject,
  patchWire,
  shownContent,
  withoutUndefined,
  writeContent,
} from "@agent-history/format-kit";

import { writeForeignAssistant, writeOwnAssistant } from "./assistant-message.ts";
import { chatParts } from "./chat-parts.ts";
import { writeForeignContent } from "./write-foreign-content.ts";

/** Stands in `origin.format` of what came from chat messages. */
export const CHAT_FORMAT = "openai-chat";

const CHAT_TYPES: ReadonlySet<HistoryEntry["type"]> = new Set([
  "system_message",
  "user_message",
  "assistant_message",
  "action",
  "observation",
] as const);

/** Writes an entry as a message: one that came from a chat as it came, with what it says now. */
export function writeMessage(entry: HistoryEntry, viewer: Viewer): JsonObject {
  if (!isFromChat(entry)) return writeForeign(entry, viewer);
  return wholeMessageOf(entry) ?? patchWire(writeUsual(entry), entry.origin?.extra);
}

/** Writes an entry that came from a chat, but for the fields that no entry has. */
export function writeUsual(entry: HistoryEntry): JsonObject {
  if (entry.type === "observation") return writeOwnResult(entry);
  const role = messageRole(entry);
  return role === "assistant"
    ? writeOwnAssistant(entry)
    : { role, content: writeContent(shownContent(entry) ?? "", chatParts, true) };
}

/** A type that no chat message becomes did not come from one, whatever its origin says. */
function isFromChat({ type, origin }: HistoryEntry): boolean {
  return origin?.format === CHAT_FORMAT && CHAT_TYPES.has(type);
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

/** The message of an entry that could not be read, and went through whole. */
function wholeMessageOf({ type, content }: HistoryEntry): JsonObject | undefined {
  if (type !== "assistant_message" || content === undefined || typeof content === "string")
    return undefined;
  const [part] = content;
  const isWhole = part?.type === "opaque" && part.extra?.["as"] === "message";
  return isWhole && isJsonObject(part.data) ? part.data : undefined;
}
