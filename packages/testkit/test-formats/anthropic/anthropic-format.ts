import { messageRole } from "@agent-history/core";
import type { HistoryEntry, JsonObject, JsonValue, Viewer } from "@agent-history/core";
import {
  indexOf,
  placeCalls,
  readContent,
  shownContent,
  writeCall,
  writeParts,
} from "@agent-history/format-kit";
import type {
  EntryDraft,
  MessageFormat,
  MessageRun,
  ReadContext,
  WriteContext,
} from "@agent-history/format-kit";

import { readAnthropicAssistant } from "./anthropic-assistant.ts";
import { anthropicCalls } from "./anthropic-calls.ts";
import { anthropicParts } from "./anthropic-parts.ts";
import { readAnthropicUser, writeAnthropicResult } from "./anthropic-user.ts";

/**
 * Anthropic messages. A user's message with results is an observation for each and a `user_message` for what stands
 * beside them; a compaction block is a `summary`.
 */
export const anthropicFormat: MessageFormat = {
  name: "anthropic",
  idPrefix: "message",
  types: [
    "system_message",
    "user_message",
    "assistant_message",
    "action",
    "observation",
    "summary",
  ],
  shape: "grouped",
  read: readMessage,
  write: writeRun,
};

function readMessage(message: JsonObject, context: ReadContext): readonly EntryDraft[] {
  const { role, content } = message;
  switch (role) {
    case "system":
      return [{ says: { type: "system_message", content: readContent(content, anthropicParts) } }];
    case "user":
      return readAnthropicUser(content, context);
    case "assistant":
      return readAnthropicAssistant(content, context);
    default:
      return [];
  }
}

function writeRun(run: MessageRun, { isOwn, viewer }: WriteContext): JsonObject {
  const [first] = run;
  const role = roleOf(first, isOwn, viewer);
  const content = shownContent(first);
  if (run.length === 1 && typeof content === "string" && isPlain(first)) return { role, content };
  return { role, content: run.flatMap((entry) => writeBlocks(entry, isOwn)) };
}

function roleOf(entry: HistoryEntry, isOwn: boolean, viewer: Viewer): string {
  // A compaction block stands in the answer that made it.
  if (isOwn && entry.type === "summary") return "assistant";
  const role = messageRole(entry, viewer);
  return role === "tool" ? "user" : role;
}

/** Tells whether an entry may be written as bare text: calls and results are blocks. */
function isPlain(entry: HistoryEntry): boolean {
  return entry.type !== "action" && entry.type !== "observation";
}

function writeBlocks(entry: HistoryEntry, isOwn: boolean): readonly JsonValue[] {
  if (entry.type === "observation") return [writeAnthropicResult(entry, isOwn)];
  const blocks = writeParts(shownContent(entry) ?? "", anthropicParts, isOwn);
  if (entry.type !== "action") return blocks;
  const calls = entry.toolCalls.map((call) => ({
    block: writeCall(call, anthropicCalls, isOwn),
    index: isOwn ? indexOf(call.extra?.["index"]) : undefined,
  }));
  return placeCalls<JsonValue>(blocks, calls);
}
