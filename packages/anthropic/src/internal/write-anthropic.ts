import { messageRole } from "@agent-history/core";
import type {
  HistoryEntry,
  JsonObject,
  JsonValue,
  ObservationEntry,
  ToolCall,
} from "@agent-history/core";
import {
  isJsonObject,
  isLateResult,
  mergeJson,
  placeCalls,
  placesOf,
  shownContent,
  writeAnswer,
  writeCall,
  writeParts,
} from "@agent-history/format-kit";
import type { MessageRun, WriteContext } from "@agent-history/format-kit";

import {
  anthropicCalls,
  anthropicParts,
  foreignContent,
  isServerCall,
  resultBlock,
} from "./anthropic-parts.ts";

/** `origin.format` of entries read from Anthropic messages. */
export const ANTHROPIC_FORMAT = "anthropic";

/** Writes entries as one message: their original message with the present content, or one by their role. */
export function writeAnthropicMessage(
  run: MessageRun,
  context: WriteContext,
): JsonObject | undefined {
  const [first] = run;
  // The request sends `system` separately.
  if (context.isOwn && isRequestSystem(first)) return undefined;
  const role = roleOf(first, context);
  const content = shownContent(first);
  const isBlocks = run.length > 1 || first.type === "action" || first.type === "observation";
  return {
    role,
    content:
      typeof content === "string" && !isBlocks
        ? content
        : writeAnswer<JsonValue>(run, (entry) => writeBlocks(entry, context)),
  };
}

/** Returns whether an entry is the `system` of a request, rather than a system message in `messages`. */
export function isRequestSystem({ origin }: HistoryEntry): boolean {
  return origin?.format === ANTHROPIC_FORMAT && origin.extra?.["as"] === "system";
}

function roleOf(entry: HistoryEntry, context: WriteContext): string {
  // A compaction block belongs to an answer, as does a late result of a server tool.
  if (context.isOwn && entry.type === "summary") return "assistant";
  if (serverCallOf(entry, context) !== undefined) return "assistant";
  const role = messageRole(entry, context.viewer);
  return role === "tool" ? "user" : role;
}

/** Returns the server tool call that a result answers, if any. */
function serverCallOf(entry: HistoryEntry, { isOwn, callOf }: WriteContext): ToolCall | undefined {
  if (entry.type !== "observation") return undefined;
  if (isOwn && isLateResult(entry)) {
    return { id: entry.callId, name: entry.toolName, arguments: "" };
  }
  const call = isOwn ? undefined : callOf(entry);
  return call !== undefined && isServerCall(call) ? call : undefined;
}

function writeBlocks(entry: HistoryEntry, context: WriteContext): readonly JsonValue[] {
  const { isOwn, viewer } = context;
  const shown = shownContent(entry) ?? "";
  const content = isOwn ? shown : foreignContent(shown, messageRole(entry, viewer));
  if (entry.type === "observation") {
    const call = serverCallOf(entry, context);
    if (call !== undefined) return [writeServerResult(entry, call)];
    const difference = isOwn ? entry.origin?.extra?.["result"] : undefined;
    const usual = resultBlock({ ...entry, content }, isOwn);
    return [mergeJson(usual, isJsonObject(difference) ? difference : undefined)];
  }
  const blocks = writeParts(content, anthropicParts, isOwn);
  if (entry.type !== "action") return blocks;
  const places = isOwn ? placesOf(entry) : [];
  const calls = entry.toolCalls.map((call, nth) => ({
    block: writeCall(call, anthropicCalls, isOwn),
    index: places[nth],
  }));
  return placeCalls<JsonValue>(blocks, calls);
}

/** Writes a server tool's result; a lost one as a failure. */
function writeServerResult(
  { content }: ObservationEntry,
  { id, name, extra }: ToolCall,
): JsonObject {
  const [part] = typeof content === "string" ? [] : content;
  if (part?.type === "opaque" && isJsonObject(part.data)) {
    return part.data["tool_use_id"] === id ? part.data : { ...part.data, tool_use_id: id };
  }
  const fields = extra?.["fields"];
  if (isJsonObject(fields) && fields["type"] === "mcp_tool_use") {
    return { type: "mcp_tool_result", tool_use_id: id, is_error: true, content: [] };
  }
  const type = `${name.replace(/^(tool_search)_tool_.*/u, "$1")}_tool_result`;
  const failure = { type: `${type}_error`, error_code: "unavailable" };
  return { type, tool_use_id: id, content: failure };
}
