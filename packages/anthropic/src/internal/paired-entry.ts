import type { ContentPart, HistoryEntry, JsonValue, ToolCall } from "@agent-history/core";
import { isJsonObject } from "@agent-history/format-kit";

/**
 * Returns an entry of which every call and result is one that core pairs: blocks that only look like one (a call without a name, a result of an object) are left out, and calls that came without
 * an id have the one that their results name. What has none of these is returned by identity.
 */
export function pairedEntry(entry: HistoryEntry): HistoryEntry {
  const { content } = entry;
  const parts = typeof content === "string" || content === undefined ? [] : content;
  const isOdd = parts.some((part) => pairedPart(part) !== part);
  const paired = isOdd
    ? { ...entry, content: parts.map(pairedPart).filter((part) => part !== undefined) }
    : entry;
  if (paired.type !== "action" || paired.toolCalls.every(hasId)) return paired;
  return { ...paired, toolCalls: paired.toolCalls.map(withId) };
}

const PAIRED: ReadonlySet<JsonValue | undefined> = new Set(["tool_use", "tool_result"]);

function pairedPart(part: ContentPart): ContentPart | undefined {
  if (part.type !== "opaque" || !isJsonObject(part.data)) return part;
  const { type, content } = part.data;
  if (PAIRED.has(type)) return undefined;
  // A message that is carried whole.
  const isWhole = part.extra?.["as"] === "message" && Array.isArray(content);
  if (!isWhole || !content.some(isPaired)) return part;
  const left = content.filter((block: JsonValue) => !isPaired(block));
  return { ...part, data: { ...part.data, content: left } };
}

function isPaired(block: JsonValue): boolean {
  return isJsonObject(block) && PAIRED.has(block["type"]);
}

function hasId(call: ToolCall): boolean {
  return withId(call) === call;
}

function withId(call: ToolCall): ToolCall {
  const { fields, without } = call.extra ?? {};
  const isLacking = Array.isArray(without) && without.includes("id");
  const isOther = isJsonObject(fields) && "id" in fields;
  if (!isLacking && !isOther) return call;
  const { id: _, ...others } = isJsonObject(fields) ? fields : {};
  const left = Array.isArray(without) ? without.filter((key: JsonValue) => key !== "id") : [];
  return { ...call, extra: { ...call.extra, fields: others, without: left } };
}
