import type {
  Content,
  ContentPart,
  HistoryEntry,
  JsonObject,
  JsonValue,
} from "@agent-history/core";
import {
  indexOf,
  isJsonObject,
  isToolCall,
  partsOf,
  placeCalls,
  readCall,
  readContent,
  textOf,
  withoutUndefined,
  writeContent,
} from "@agent-history/format-kit";
import type { ParsedMessage, KeyedCall, WaitingCalls } from "@agent-history/format-kit";

import { chatCalls, functionCalls, isFunctionCall, writeChatCall } from "./chat-calls.ts";
import { chatParts } from "./chat-parts.ts";
import { writeForeignContent } from "./write-foreign-content.ts";

/** Reads an assistant's message: one with calls is an `action`. */
export function readAssistant(
  message: JsonObject,
  { index, waiting }: { readonly index: number; readonly waiting: WaitingCalls },
): ParsedMessage {
  const { calls, unknown } = readCalls(message, index);
  waiting.add(calls);
  const toolCalls = calls.map(({ call }) => call);
  const content = readWholeContent(message, unknown);
  return toolCalls.length === 0
    ? { says: { type: "assistant_message", content: content ?? "" } }
    : { says: { type: "action", toolCalls, ...(content !== undefined && { content }) } };
}

/** Writes an assistant's message that came as one. */
export function writeOwnAssistant(entry: HistoryEntry): JsonObject {
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
  const [audio] = fieldParts(entry, "audio");
  return withoutUndefined({
    role: "assistant",
    content: writeText(entry),
    refusal: refusal?.type === "text" ? refusal.text : undefined,
    reasoning_content: thought?.type === "reasoning" ? thought.text : undefined,
    audio: audio && dataOf(audio),
    tool_calls: toolCalls.length > 0 ? toolCalls : undefined,
    function_call: legacy && writeChatCall(legacy, true),
  });
}

/** Writes what reads as an assistant's message and did not come as one. */
export function writeForeignAssistant(
  entry: HistoryEntry,
  content: Content | undefined,
): JsonObject {
  const said = content === undefined ? undefined : writeForeignContent(content, "assistant");
  if (entry.type !== "action") return { role: "assistant", content: said ?? "" };
  const calls = entry.toolCalls.map((call) => writeChatCall(call, false));
  return withoutUndefined({ role: "assistant", content: said || undefined, tool_calls: calls });
}

function readCalls(
  message: JsonObject,
  index: number,
): { readonly calls: readonly KeyedCall[]; readonly unknown: readonly ContentPart[] } {
  const { tool_calls: list, function_call: legacy } = message;
  const calls: KeyedCall[] = [];
  const unknown: ContentPart[] = [];
  for (const [at, wire] of (Array.isArray(list) ? list : []).entries()) {
    const call = readCall(wire, chatCalls, `call_${index}_${at}`);
    const id = isJsonObject(wire) ? textOf(wire["id"]) : undefined;
    if (isToolCall(call)) calls.push({ key: id ?? "", call });
    else unknown.push({ ...call, extra: { field: "tool_calls", index: at } });
  }
  const call = isJsonObject(legacy) ? readCall(legacy, functionCalls, `call_${index}`) : undefined;
  if (call !== undefined && isToolCall(call)) {
    calls.push({ key: `function_call ${call.name}`, call });
  }
  return { calls, unknown };
}

/** Reads what an assistant says, wherever its message says it; `undefined` where it says nothing. */
function readWholeContent(
  message: JsonObject,
  unknown: readonly ContentPart[],
): Content | undefined {
  const { content: wire, refusal, audio, reasoning_content: thought } = message;
  const content =
    typeof wire === "string" || Array.isArray(wire) ? readContent(wire, chatParts) : undefined;
  const beside: ContentPart[] = [...unknown];
  if (typeof refusal === "string") {
    beside.push({ type: "text", text: refusal, extra: { field: "refusal" } });
  }
  if (isJsonObject(audio)) beside.push({ type: "opaque", data: audio, extra: { field: "audio" } });
  const before: ContentPart[] =
    typeof thought === "string"
      ? [{ type: "reasoning", text: thought, extra: { field: "reasoning_content" } }]
      : [];
  if (before.length + beside.length === 0) return content;
  const said: readonly ContentPart[] =
    typeof content === "string"
      ? [{ type: "text", text: content, extra: { as: "content" } }]
      : (content ?? []);
  return [...before, ...said, ...beside];
}

/** Writes the field `content`: text as text, parts as parts, and nothing where all was said in other fields. */
function writeText({ content }: HistoryEntry): JsonValue | undefined {
  if (content === undefined || typeof content === "string") return content;
  const parts = content.filter((part) => part.extra?.["field"] === undefined);
  const [only] = parts;
  if (only?.type === "text" && only.extra?.["as"] === "content") return only.text;
  return parts.length === 0 && content.length > 0
    ? undefined
    : writeContent(parts, chatParts, true);
}

/** The parts that came in a field of their own. */
function fieldParts(entry: HistoryEntry, field: string): readonly ContentPart[] {
  return partsOf(entry.content).filter((part) => part.extra?.["field"] === field);
}

function dataOf(part: ContentPart): JsonValue {
  return part.type === "opaque" ? part.data : null;
}
