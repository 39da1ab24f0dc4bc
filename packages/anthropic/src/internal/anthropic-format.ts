import { messageRole } from "@agent-history/core";
import type { HistoryEntry, JsonObject, JsonValue, ToolCall } from "@agent-history/core";
import {
  indexOf,
  isLateResult,
  placeCalls,
  readContent,
  shownContent,
  writeAnswer,
  writeCall,
  writeParts,
} from "@agent-history/format-kit";
import type {
  ParsedMessage,
  MessageFormat,
  MessageRun,
  ReadContext,
  WriteContext,
} from "@agent-history/format-kit";

import { anthropicCalls, isServerCall } from "./anthropic-calls.ts";
import { anthropicParts } from "./anthropic-parts.ts";
import { foreignContent } from "./foreign-content.ts";
import { readAnthropicAssistant } from "./read-assistant.ts";
import { readAnthropicUser, writeAnthropicResult } from "./read-user.ts";
import { writeServerResult } from "./server-results.ts";

/** Stands in `origin.format` of what came as Anthropic messages. */
export const ANTHROPIC_FORMAT = "anthropic";

/**
 * Anthropic messages. A user's message with results is an observation for each and a `user_message` for what stands
 * beside them; a compaction block is a `summary`.
 */
export const anthropicFormat: MessageFormat = {
  name: ANTHROPIC_FORMAT,
  idPrefix: "anthropic",
  types: [
    "system_message",
    "user_message",
    "assistant_message",
    "action",
    "observation",
    "summary",
  ],
  shape: "grouped",
  isAnsweredByProvider: isServerCall,
  read: readMessage,
  write: writeRun,
};

function readMessage(message: JsonObject, context: ReadContext): readonly ParsedMessage[] {
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

function writeRun(run: MessageRun, context: WriteContext): JsonObject | undefined {
  const [first] = run;
  // The request sends it beside its messages.
  if (context.isOwn && isRequestSystem(first)) return undefined;
  const role = roleOf(first, context);
  const content = shownContent(first);
  if (run.length === 1 && typeof content === "string" && isPlain(first)) return { role, content };
  return { role, content: writeAnswer<JsonValue>(run, (entry) => writeBlocks(entry, context)) };
}

/** Tells the `system` of a request from a system message among its messages. */
export function isRequestSystem({ origin }: HistoryEntry): boolean {
  return origin?.format === ANTHROPIC_FORMAT && origin.extra?.["as"] === "system";
}

/** Returns the `system` of a request as a system message. */
export function asSystemMessage(entry: HistoryEntry): HistoryEntry {
  const { origin } = entry;
  if (origin === undefined) return entry;
  const { extra: _, ...bare } = origin;
  return { ...entry, origin: bare };
}

function roleOf(entry: HistoryEntry, context: WriteContext): string {
  // A compaction block stands in the answer that made it, what a server gave in a later one.
  if (context.isOwn && entry.type === "summary") return "assistant";
  if (serverCallOf(entry, context) !== undefined) return "assistant";
  const role = messageRole(entry, context.viewer);
  return role === "tool" ? "user" : role;
}

/** Gives the call of a server that a result answers, if it does. */
function serverCallOf(entry: HistoryEntry, { isOwn, callOf }: WriteContext): ToolCall | undefined {
  if (entry.type !== "observation") return undefined;
  if (isOwn && isLateResult(entry))
    return { id: entry.callId, name: entry.toolName, arguments: "" };
  const call = isOwn ? undefined : callOf(entry);
  return call !== undefined && isServerCall(call) ? call : undefined;
}

/** Tells whether an entry may be written as bare text: calls and results are blocks. */
function isPlain(entry: HistoryEntry): boolean {
  return entry.type !== "action" && entry.type !== "observation";
}

function writeBlocks(entry: HistoryEntry, context: WriteContext): readonly JsonValue[] {
  const { isOwn } = context;
  if (entry.type === "observation") {
    const call = serverCallOf(entry, context);
    return [
      call === undefined ? writeAnthropicResult(entry, isOwn) : writeServerResult(entry, call),
    ];
  }
  const shown = shownContent(entry) ?? "";
  const content = isOwn ? shown : foreignContent(shown, messageRole(entry, context.viewer));
  const blocks = writeParts(content, anthropicParts, isOwn);
  if (entry.type !== "action") return blocks;
  const calls = entry.toolCalls.map((call) => ({
    block: writeCall(call, anthropicCalls, isOwn),
    index: isOwn ? indexOf(call.extra?.["index"]) : undefined,
  }));
  return placeCalls<JsonValue>(blocks, calls);
}
