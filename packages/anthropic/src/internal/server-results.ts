import type { JsonObject, JsonValue, ObservationEntry, ToolCall } from "@agent-history/core";
import { isJsonObject, nameOf } from "@agent-history/format-kit";
import type { ParsedMessage, WaitingCalls } from "@agent-history/format-kit";

import { isServerBlock } from "./anthropic-calls.ts";

/** Tells a block that a tool of the provider's answers with. */
export function isServerResult(block: JsonValue): block is JsonObject {
  if (!isJsonObject(block)) return false;
  const { type, tool_use_id: callId } = block;
  return typeof type === "string" && type.endsWith("_tool_result") && nameOf(callId) !== undefined;
}

/** Finds the calls of servers that are answered in their own message, and their results, by place. */
export function serverRuns(blocks: readonly JsonValue[]): ReadonlySet<number> {
  const runs = new Set<number>();
  const calls = new Map<JsonValue | undefined, number>();
  for (const [index, block] of blocks.entries()) {
    if (!isJsonObject(block)) continue;
    if (isServerBlock(block)) calls.set(block["id"], index);
    const call = isServerResult(block) ? calls.get(block["tool_use_id"]) : undefined;
    if (call !== undefined) runs.add(call).add(index);
  }
  return runs;
}

/** Reads what a server gave in a later message than it was called in. It stays as it is: it may be sealed. */
export function readServerResult(block: JsonObject, waiting: WaitingCalls): ParsedMessage {
  const callId = nameOf(block["tool_use_id"]) ?? "";
  const toolName = waiting.answer(callId)?.name ?? "unknown_tool";
  const content = [{ type: "opaque", data: block }] as const;
  return { says: { type: "observation", callId, toolName, outcome: outcomeOf(block), content } };
}

function outcomeOf({ is_error: isError, content }: JsonObject): ObservationEntry["outcome"] {
  const isFailure = isJsonObject(content) && nameOf(content["type"])?.endsWith("_error") === true;
  return isError === true || isFailure ? "error" : "success";
}

/** Writes what a server gave; where that was lost, that it failed. */
export function writeServerResult(
  { content }: Pick<ObservationEntry, "content">,
  { id, name, extra }: ToolCall,
): JsonObject {
  const [part] = typeof content === "string" ? [] : content;
  if (part?.type === "opaque" && isJsonObject(part.data)) return part.data;
  const fields = extra?.["fields"];
  if (isJsonObject(fields) && fields["type"] === "mcp_tool_use") {
    return { type: "mcp_tool_result", tool_use_id: id, is_error: true, content: [] };
  }
  const type = `${name.replace(/^(tool_search)_tool_.*/u, "$1")}_tool_result`;
  const failure = { type: `${type}_error`, error_code: "unavailable" };
  return { type, tool_use_id: id, content: failure };
}
