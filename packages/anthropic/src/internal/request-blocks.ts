import type {
  ContentPart,
  HistoryEntry,
  JsonObject,
  JsonValue,
  ToolCall,
  Viewer,
} from "@agent-history/core";
import { isJsonObject, toJson, writeRuns } from "@agent-history/format-kit";

import { anthropicFormat } from "./anthropic-format.ts";

/** Kinds of blocks that a user, and a system message, may hold. */
const TAKEN: Readonly<Record<string, ReadonlySet<JsonValue | undefined>>> = {
  user: new Set([
    "text",
    "image",
    "document",
    "search_result",
    "tool_result",
    "container_upload",
    "compaction",
  ]),
  system: new Set(["text", "tool_addition", "tool_removal"]),
};

/** Kinds of blocks that no answer holds. */
const OF_OTHERS: ReadonlySet<JsonValue | undefined> = new Set([
  "tool_result",
  "image",
  "document",
  "search_result",
]);

/** Returns the content of a message as blocks that the API takes from its role; valid ones are the same objects. Linear. */
function soundBlocks(
  { role, content }: { readonly role: string; readonly content: JsonValue | undefined },
  keepsThinking: boolean,
): readonly JsonObject[] {
  const isTaken = ({ type }: JsonObject): boolean => TAKEN[role]?.has(type) ?? !OF_OTHERS.has(type);
  const wire: readonly JsonValue[] =
    typeof content === "string" ? [textBlock(content)] : Array.isArray(content) ? content : [];
  return wire
    .map((block) => (typeof block === "string" ? textBlock(block) : block))
    .filter((block) => isJsonObject(block))
    .filter((block) => isTaken(block) && !isBlank(block))
    .filter((block) => keepsThinking || !isThinking(block))
    .map(soundBlock);
}

function isThinking({ type }: JsonObject): boolean {
  return type === "thinking" || type === "redacted_thinking";
}

function textBlock(text: string): JsonObject {
  return { type: "text", text };
}

function isBlank({ type, text }: JsonObject): boolean {
  return type === "text" && (typeof text !== "string" || text.trim() === "");
}

function soundBlock(block: JsonObject): JsonObject {
  switch (block["type"]) {
    case "tool_use":
      return changed(block, {
        id: soundName(block["id"], "call"),
        name: soundName(block["name"], "tool"),
        input: isJsonObject(block["input"])
          ? block["input"]
          : { arguments: block["input"] ?? null },
      });
    case "tool_result": {
      const { content } = block;
      const id = soundName(block["tool_use_id"], "call");
      const isChanged = Array.isArray(content) && content.some(isBlankPart);
      return changed(block, {
        tool_use_id: id,
        ...(isChanged && { content: content.filter((part: JsonValue) => !isBlankPart(part)) }),
      });
    }
    default:
      return block;
  }
}

function isBlankPart(part: JsonValue): boolean {
  return !isJsonObject(part) || isBlank(part);
}

function changed(block: JsonObject, fields: JsonObject): JsonObject {
  const isSame = Object.entries(fields).every(([key, value]) => block[key] === value);
  return isSame ? block : { ...block, ...fields };
}

/** Ids and names of other providers may hold characters that Anthropic refuses. Two that differ stay different. */
function soundName(name: JsonValue | undefined, usual: string): string {
  if (typeof name !== "string" || name === "") return usual;
  return name.replaceAll(/[^\w-]/gu, (letter) => `_${letter.codePointAt(0)?.toString(16)}_`);
}

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

/** A message of a request on its way. */
export interface RequestMessage {
  readonly role: "user" | "assistant" | "system";
  readonly blocks: readonly RequestBlock[];
  /** Whether its content is a bare text. */
  readonly isText: boolean;
  /** What a message holds beside role and content. */
  readonly fields: JsonObject;
  /** Whether it came as an Anthropic message. */
  readonly isOwn: boolean;
}

/** A block, and the place of its entry among those of the prompt. */
export interface RequestBlock {
  readonly block: JsonObject;
  readonly index: number;
}

/** How the messages of a request are written. */
interface RequestMessageOptions {
  readonly viewer: Viewer;
  readonly keepsThinking: boolean;
  readonly indexOf: (entry: HistoryEntry) => number;
}

/** What may stand in a system message beside its content. */
const FIELDS = ["clear_at", "output_config"];

/** Writes entries as messages of a request, without what the API refuses anywhere: blank texts, fields of answers, roles of others. */
export function requestMessages(
  entries: readonly HistoryEntry[],
  { viewer, keepsThinking, indexOf }: RequestMessageOptions,
): readonly RequestMessage[] {
  const written = writeRuns(anthropicFormat, entries, { viewer });
  return written.flatMap(({ run, message, isOwn }): readonly RequestMessage[] => {
    const wire = toJson(message);
    if (!isJsonObject(wire)) return [];
    const { role, content } = wire;
    if (role !== "user" && role !== "assistant" && role !== "system") return [];
    const index = run.reduce((last, entry) => Math.max(last, indexOf(entry)), -1);
    const blocks = soundBlocks({ role, content }, keepsThinking).map((block) => ({ block, index }));
    const found = FIELDS.filter((key) => role === "system" && Object.hasOwn(wire, key));
    const fields = Object.fromEntries(found.map((key) => [key, wire[key] ?? null]));
    const isNothing = blocks.length === 0 && !("output_config" in fields);
    return isNothing ? [] : [{ role, blocks, fields, isOwn, isText: typeof content === "string" }];
  });
}

/** Returns a message as the API takes it. */
export function writtenMessage({ role, blocks, fields, isText }: RequestMessage): JsonObject {
  const [first] = blocks;
  const text = isText && blocks.length === 1 ? bareText(first?.block) : undefined;
  return { ...fields, role, content: text ?? blocks.map(({ block }) => block) };
}

/** Returns the text of a block that says nothing else. */
export function bareText(block: JsonObject | undefined): string | undefined {
  const isBare = block !== undefined && Object.keys(block).length === 2;
  const text = isBare && block["type"] === "text" ? block["text"] : undefined;
  return typeof text === "string" ? text : undefined;
}
