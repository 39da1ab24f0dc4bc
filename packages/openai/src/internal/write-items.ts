import { messageRole } from "@agent-history/core";
import type {
  Content,
  ContentPart,
  FilePart,
  HistoryEntry,
  ImagePart,
  JsonObject,
  JsonValue,
  MessageRole,
  ReasoningPart,
  ToolCall,
  Viewer,
} from "@agent-history/core";
import {
  isJsonObject,
  mergeJson,
  partsOf,
  placeCalls,
  placesOf,
  portableContent,
  shownContent,
  writeCall,
  writeContent,
  writePart,
} from "@agent-history/format-kit";

import { withoutItemIds } from "../item-ids.ts";
import {
  responseCalls,
  responseInputParts,
  responseOutputParts,
  writeReasoning,
} from "./response-parts.ts";
import { writeResponseResult } from "./response-results.ts";

const ITEM_TYPES: ReadonlySet<HistoryEntry["type"]> = new Set([
  "system_message",
  "user_message",
  "assistant_message",
  "action",
  "observation",
  "summary",
] as const);

/** Context in which items are written. */
export interface ItemsContext {
  /** `origin.format` of the entries to restore. */
  readonly format: string;
  readonly viewer: Viewer;
  readonly callOf: ReadonlyMap<HistoryEntry, ToolCall>;
}

/** Writes an entry as its original items with the present content, or as items by its role. */
export function writeItems(
  entry: HistoryEntry,
  { format, viewer, callOf }: ItemsContext,
): readonly JsonValue[] {
  const isOwn = isFromItems(entry, format);
  const extra = isOwn ? entry.origin?.extra : undefined;
  // The request sends instructions separately.
  if (extra?.["as"] === "instructions") return [];
  if (extra?.["as"] === "item") {
    return partsOf(entry.content).flatMap((part) => (part.type === "opaque" ? [part.data] : []));
  }
  const shown = shownContent(entry) ?? "";
  const role = isOwn && entry.type === "summary" ? "assistant" : messageRole(entry, viewer);
  switch (role) {
    case "tool": {
      if (entry.type !== "observation") return [];
      const content = isOwn ? shown : foreignContent(shown, role);
      const result = writeResponseResult(entry, { content, isOwn, call: callOf.get(entry) });
      return [mergeJson(result, extra)];
    }
    case "assistant":
      if (!isOwn) return writeForeignAnswer(entry);
      return writeOwnAnswer(entry.leftOut === undefined ? entry : withoutItemIds(entry));
    case "system":
    case "user": {
      const content = isOwn ? shown : foreignContent(shown, role);
      const message = { role, content: writeContent(content, responseInputParts, isOwn) };
      return [mergeJson(message, extra)];
    }
  }
}

/** An entry of a type that items never become is not treated as read from items, whatever its origin states. */
export function isFromItems({ type, origin }: HistoryEntry, format: string): boolean {
  return origin?.format === format && ITEM_TYPES.has(type);
}

/** Restores the items of an answer: its messages and reasoning, with the calls at their original places. */
function writeOwnAnswer(entry: HistoryEntry): readonly JsonValue[] {
  const items = itemsOf(partsOf(entry.content)).flatMap(writeItem);
  if (entry.type !== "action") {
    // A cleaner may have removed all text.
    return items.length === 0 ? [{ role: "assistant", content: "" }] : items;
  }
  const places = placesOf(entry);
  const calls = entry.toolCalls.map((call, nth) => ({
    block: writeCall(call, responseCalls, true),
    index: places[nth],
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

/** If the first part of an item was removed, its other parts must not join the preceding item. */
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

/** Writes an answer of another format: its text as one message, then its calls. */
function writeForeignAnswer(entry: HistoryEntry): readonly JsonValue[] {
  const content = foreignContent(shownContent(entry) ?? "", "assistant");
  const said = writeContent(content, responseOutputParts, false);
  const calls = entry.type === "action" ? entry.toolCalls : [];
  const message: readonly JsonObject[] =
    said.length > 0 || calls.length === 0 ? [{ role: "assistant", content: said }] : [];
  return [...message, ...calls.map((call) => writeCall(call, responseCalls, false))];
}

/**
 * Returns content of another format as the Responses API accepts it from this role: images and files only from users and tools, without
 * data that only its own format understands.
 */
export function portableItemContent(content: Content, role: MessageRole): Content {
  return portableContent(content, () => role === "user" || role === "tool");
}

function foreignContent(content: Content, role: MessageRole): Content {
  const portable = portableItemContent(content, role);
  if (typeof portable === "string") return portable;
  return portable.map((part) =>
    part.type === "image" || part.type === "file" ? complete(part) : part,
  );
}

/** The API requires an image's detail, and name and type of a file with data. */
function complete(part: ImagePart | FilePart): ImagePart | FilePart {
  const isImage = part.type === "image";
  if (isImage) return { detail: "auto", mediaType: "image/png", ...part };
  if (part.source.kind !== "data") return part;
  return { name: "file", mediaType: "application/octet-stream", ...part };
}
