import type {
  Content,
  ContentPart,
  HistoryEntry,
  JsonObject,
  JsonValue,
} from "@agent-history/core";

import { isToolCall, readCall, writeCall } from "./internal/call-codec.ts";
import type { EntryDraft } from "./internal/entry-draft.ts";
import { isJsonObject } from "./internal/is-json-object.ts";
import type { ReadContext } from "./internal/message-format.ts";
import { partsOf, readContent, writeContent } from "./internal/part-codec.ts";
import { placeCalls } from "./internal/place-calls.ts";
import { shownContent } from "./internal/shown-content.ts";
import type { KeyedCall } from "./internal/waiting-calls.ts";
import { indexOf, textOf } from "./internal/wire-text.ts";
import { withoutUndefined } from "./internal/without-undefined.ts";
import { openAIChatCalls, openAIChatFunctionCall } from "./openai-chat-calls.ts";
import { openAIChatParts } from "./openai-chat-parts.ts";

/** Reads an assistant's message: one with calls is an `action`. */
export function readAssistant(message: JsonObject, { index, waiting }: ReadContext): EntryDraft {
  const { calls, unknown } = readCalls(message, index);
  waiting.add(calls);
  const toolCalls = calls.map(({ call }) => call);
  const content = readWholeContent(message, unknown);
  return toolCalls.length === 0
    ? { says: { type: "assistant_message", content: content ?? "" } }
    : { says: { type: "action", toolCalls, ...(content !== undefined && { content }) } };
}

/** Writes an assistant's message. */
export function writeAssistant(entry: HistoryEntry, isOwn: boolean): JsonObject {
  const toolCalls = entry.type === "action" ? entry.toolCalls : [];
  const isLegacy = (extra: JsonObject | undefined): boolean =>
    isOwn && extra?.["as"] === "function_call";
  const legacy = toolCalls.find(({ extra }) => isLegacy(extra));
  const listed = toolCalls
    .filter(({ extra }) => !isLegacy(extra))
    .map((call) => writeCall(call, openAIChatCalls, isOwn));
  const unknown = fieldParts(entry, isOwn, "tool_calls").map((part) => ({
    block: dataOf(part),
    index: indexOf(part.extra?.["index"]),
  }));
  const calls = placeCalls<JsonValue>(listed, unknown);
  const [refusal] = fieldParts(entry, isOwn, "refusal");
  const [thought] = fieldParts(entry, isOwn, "reasoning_content");
  const [audio] = fieldParts(entry, isOwn, "audio");
  return withoutUndefined({
    role: "assistant",
    content: writeText(entry, isOwn),
    refusal: refusal?.type === "text" ? refusal.text : undefined,
    reasoning_content: thought?.type === "reasoning" ? thought.text : undefined,
    audio: audio && dataOf(audio),
    tool_calls: calls.length > 0 ? calls : undefined,
    function_call: legacy && writeCall(legacy, openAIChatFunctionCall, isOwn),
  });
}

function readCalls(
  message: JsonObject,
  index: number,
): { readonly calls: readonly KeyedCall[]; readonly unknown: readonly ContentPart[] } {
  const { tool_calls: list, function_call: legacy } = message;
  const calls: KeyedCall[] = [];
  const unknown: ContentPart[] = [];
  for (const [at, wire] of (Array.isArray(list) ? list : []).entries()) {
    const call = readCall(wire, openAIChatCalls, `call_${index}_${at}`);
    const id = isJsonObject(wire) ? textOf(wire["id"]) : undefined;
    if (isToolCall(call)) calls.push({ key: id ?? "", call });
    else unknown.push({ ...call, extra: { field: "tool_calls", index: at } });
  }
  const call = isJsonObject(legacy)
    ? readCall(legacy, openAIChatFunctionCall, `call_${index}`)
    : undefined;
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
  const content = typeof wire === "string" || Array.isArray(wire) ? readText(wire) : undefined;
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

function readText(wire: string | readonly JsonValue[]): Content {
  return readContent(wire, openAIChatParts);
}

/** Writes the field `content`: text as text, parts as parts, and nothing where all was said in other fields. */
function writeText(entry: HistoryEntry, isOwn: boolean): JsonValue | undefined {
  const content = shownContent(entry);
  if (content === undefined || typeof content === "string") return content;
  const parts = partsOf(content).filter((part) => !isOwn || part.extra?.["field"] === undefined);
  const [only] = parts;
  if (only?.type === "text" && isOwn && only.extra?.["as"] === "content") return only.text;
  return parts.length === 0 && content.length > 0
    ? undefined
    : writeContent(parts, openAIChatParts, isOwn);
}

/** The parts that came in a field of their own. */
function fieldParts(entry: HistoryEntry, isOwn: boolean, field: string): readonly ContentPart[] {
  const parts = isOwn ? partsOf(entry.content) : [];
  return parts.filter((part) => part.extra?.["field"] === field);
}

function dataOf(part: ContentPart): JsonValue {
  return part.type === "opaque" ? part.data : null;
}
