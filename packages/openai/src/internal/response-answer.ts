import type {
  ContentPart,
  HistoryEntry,
  JsonObject,
  JsonValue,
  ReasoningPart,
} from "@agent-history/core";
import {
  contradicts,
  indexOf,
  isJsonObject,
  isToolCall,
  partsOf,
  mergeJson,
  placeCalls,
  readCall,
  readPart,
  textOf,
  wireDifference,
  writeCall,
  writePart,
} from "@agent-history/format-kit";
import type { AnswerBlock } from "@agent-history/format-kit";

import { isResponseCall, responseCalls } from "./response-calls.ts";
import { responseOutputParts } from "./response-parts.ts";
import { readReasoning, writeReasoning } from "./response-reasoning.ts";

/** Tells the items that are an assistant's message. */
export function isAnswerMessage(item: JsonObject): boolean {
  return item["role"] === "assistant" && (item["type"] ?? "message") === "message";
}

/**
 * Reads one item of an answer. A message with a list of parts becomes these parts: the first carries in `extra.item` what
 * else the item says, the others join it. An item that is not to be read stays whole.
 */
export function readAnswerItem(
  item: JsonObject,
  { fallbackId, isWhole }: { readonly fallbackId: string; readonly isWhole: boolean },
): AnswerBlock {
  if (isWhole) return { kind: "parts", parts: [{ type: "opaque", data: item }] };
  if (isAnswerMessage(item)) return { kind: "parts", parts: readMessage(item) };
  if (item["type"] === "reasoning") return { kind: "parts", parts: readReasoning(item) };
  if (!isResponseCall(item)) return { kind: "parts", parts: [{ type: "opaque", data: item }] };
  const call = readCall(item, responseCalls, fallbackId);
  if (!isToolCall(call)) return { kind: "parts", parts: [call] };
  const wireId = item[item["type"] === "mcp_approval_request" ? "id" : "call_id"];
  return { kind: "call", call, key: textOf(wireId) ?? "" };
}

function readMessage(item: JsonObject): readonly ContentPart[] {
  const { content } = item;
  const opaque: ContentPart = { type: "opaque", data: item };
  if (typeof content === "string") {
    const difference = wireDifference({ role: "assistant", content }, item);
    return [{ type: "text", text: content, ...(difference && { extra: difference }) }];
  }
  if (!Array.isArray(content)) return [opaque];
  const [first, ...others] = content.map((part: JsonValue) => readPart(part, responseOutputParts));
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

/** Writes the items of an answer that came as items: its messages and reasoning, with the calls where they came. */
export function writeOwnAnswer(entry: HistoryEntry): readonly JsonValue[] {
  const { content } = entry;
  const items = itemsOf(partsOf(content)).flatMap(writeItem);
  if (entry.type !== "action") {
    // A cleaner may leave nothing of a text.
    return items.length === 0 ? [{ role: "assistant", content: "" }] : items;
  }
  const calls = entry.toolCalls.map((call) => ({
    block: writeCall(call, responseCalls, true),
    index: indexOf(call.extra?.["index"]),
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

function writeItem(parts: ItemParts): readonly JsonValue[] {
  const [first] = parts;
  const item = first.extra?.["item"];
  if (isJsonObject(item)) {
    const content = parts
      .map((part) => writePart(part, responseOutputParts, true))
      .filter((part) => part !== undefined);
    return [mergeJson({ type: "message", role: "assistant", content }, item)];
  }
  switch (first.type) {
    case "reasoning":
      return [writeReasoning(parts.filter(isReasoning))];
    case "opaque":
      return [first.data];
    case "text": {
      const usual = { role: "assistant", content: first.text };
      return [mergeJson(usual, first.extra?.["joins"] === true ? undefined : first.extra)];
    }
    case "image":
    case "file": {
      const part = writePart(first, responseOutputParts, true);
      return part === undefined ? [] : [{ role: "assistant", content: [part] }];
    }
  }
}

function isReasoning(part: ContentPart): part is ReasoningPart {
  return part.type === "reasoning";
}
