import type {
  ContentPart,
  HistoryEntry,
  JsonObject,
  JsonValue,
  ReasoningPart,
} from "../src/index.ts";
import { isToolCall, readCall, writeCall } from "./internal/call-codec.ts";
import { contradicts } from "./internal/contradicts.ts";
import { isJsonObject } from "./internal/is-json-object.ts";
import { partsOf, readPart, writePart } from "./internal/part-codec.ts";
import { patchWire } from "./internal/patch-wire.ts";
import { placeCalls } from "./internal/place-calls.ts";
import type { AnswerBlock } from "./internal/read-answer.ts";
import { shownContent } from "./internal/shown-content.ts";
import { wireDifference } from "./internal/wire-difference.ts";
import { indexOf, textOf } from "./internal/wire-text.ts";
import { isResponsesCall, responsesCalls } from "./responses-calls.ts";
import { responsesInputParts, responsesOutputParts } from "./responses-parts.ts";
import { readReasoning, writeReasoning } from "./responses-reasoning.ts";

/**
 * Reads one item of an answer. A message with a list of parts becomes these parts: the first bears in `extra.item` what
 * else the item says, the others join it.
 */
export function readAnswerItem(item: JsonObject, fallbackId: string): AnswerBlock {
  if (item["type"] === "compaction") return { kind: "compaction", data: item };
  if (item["role"] === "assistant") return { kind: "parts", parts: readMessage(item) };
  if (item["type"] === "reasoning") return { kind: "parts", parts: readReasoning(item) };
  if (!isResponsesCall(item)) return { kind: "parts", parts: [{ type: "opaque", data: item }] };
  const call = readCall(item, responsesCalls, fallbackId);
  if (!isToolCall(call)) return { kind: "parts", parts: [call] };
  const wireId = item[item["type"] === "mcp_approval_request" ? "id" : "call_id"];
  return { kind: "call", call, key: textOf(wireId) ?? "" };
}

function readMessage(item: JsonObject): readonly ContentPart[] {
  const { content } = item;
  const opaque: ContentPart = { type: "opaque", data: item };
  if (typeof content === "string") {
    const usual = { role: "assistant", content };
    const difference = wireDifference(usual, item);
    return [{ type: "text", text: content, ...(difference && { extra: difference }) }];
  }
  if (!Array.isArray(content)) return [opaque];
  const [first, ...others] = content.map((part: JsonValue) => readPart(part, responsesOutputParts));
  if (first === undefined) return [opaque];
  const usual = { type: "message", role: "assistant", content };
  const difference = wireDifference(usual, item) ?? {};
  if (contradicts(difference, usual)) return [opaque];
  return [
    withMark(first, { item: difference }),
    ...others.map((part) => withMark(part, { joins: true })),
  ];
}

function withMark(part: ContentPart, mark: JsonObject): ContentPart {
  return { ...part, extra: { ...part.extra, ...mark } };
}

/** Writes the items of an answer: its messages and reasoning, with the calls where they came. */
export function writeAnswerItems(entry: HistoryEntry, isOwn: boolean): readonly JsonValue[] {
  const items = itemsOf(partsOf(shownContent(entry))).flatMap((parts) => writeItem(parts, isOwn));
  if (entry.type !== "action") return items;
  const calls = entry.toolCalls.map((call) => ({
    block: writeCall(call, responsesCalls, isOwn),
    index: isOwn ? indexOf(call.extra?.["index"]) : undefined,
  }));
  return placeCalls<JsonValue>(items, calls);
}

type ItemParts = readonly [ContentPart, ...ContentPart[]];

function itemsOf(parts: readonly ContentPart[]): readonly ItemParts[] {
  const items: [ContentPart, ...ContentPart[]][] = [];
  for (const part of parts) {
    const last = items.at(-1);
    if (last !== undefined && joins(part, last[0])) last.push(part);
    else items.push([part]);
  }
  return items;
}

/** Where the first part of an item was lost since, the others do not join the item before. */
function joins(part: ContentPart, first: ContentPart): boolean {
  if (part.extra?.["joins"] !== true) return false;
  return part.type === "reasoning"
    ? first.type === "reasoning"
    : first.extra?.["item"] !== undefined;
}

function writeItem(parts: ItemParts, isOwn: boolean): readonly JsonValue[] {
  const [first] = parts;
  const item = isOwn ? first.extra?.["item"] : undefined;
  if (isJsonObject(item)) {
    const content = parts
      .map((part) => writePart(part, responsesOutputParts, isOwn))
      .filter((part) => part !== undefined);
    return [patchWire({ type: "message", role: "assistant", content }, item)];
  }
  switch (first.type) {
    case "reasoning":
      return isOwn ? [writeReasoning(parts.filter(isReasoning))] : [];
    case "opaque":
      return isOwn ? [first.data] : [];
    case "text": {
      const usual = { role: "assistant", content: first.text };
      const isWhole = isOwn && first.extra?.["joins"] !== true;
      return [patchWire(usual, isWhole ? first.extra : undefined)];
    }
    case "image":
    case "file": {
      const part = writePart(first, responsesInputParts, isOwn);
      return part === undefined ? [] : [{ role: "assistant", content: [part] }];
    }
  }
}

function isReasoning(part: ContentPart): part is ReasoningPart {
  return part.type === "reasoning";
}
