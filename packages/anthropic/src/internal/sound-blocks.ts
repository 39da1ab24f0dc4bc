import type { JsonObject, JsonValue } from "@agent-history/core";
import { isJsonObject } from "@agent-history/format-kit";

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
export function soundBlocks(
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
