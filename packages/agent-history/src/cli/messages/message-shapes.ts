import type { fromModelMessages, fromUIMessages } from "@agent-history/ai-sdk";
import { HistoryError } from "@agent-history/core";
import type { HistoryEntry, JsonObject, JsonValue, ToolDefinition } from "@agent-history/core";
import { decodeEntry, parseEntry } from "@agent-history/core/schema";
import { isJsonObject, textOf, toolParameters } from "@agent-history/format-kit";
import { toToolDefinitions as toOpenAIDefinitions } from "@agent-history/openai";

/** Checks the type of each; none is left out. */
export function allOf<Wanted extends JsonObject>(
  values: JsonValue,
  isWanted: (value: JsonObject) => value is Wanted,
  what: "message" | "tool" = "message",
): readonly Wanted[] {
  const list = Array.isArray(values) ? values : [values];
  return list.map((value, index) => {
    if (isJsonObject(value) && isWanted(value)) return value;
    throw new HistoryError(
      `Expected ${what} ${index + 1} to be one of the format. Name the format with --from.`,
      { code: "INVALID_OPTION", details: { option: what, index } },
    );
  });
}

/** A message of somebody. */
export function hasRole(message: JsonObject): message is JsonObject & { readonly role: string } {
  return typeof message["role"] === "string";
}

/** A tool that says its kind. */
export function hasType(tool: JsonObject): tool is JsonObject & { readonly type: string } {
  return typeof tool["type"] === "string";
}

type ModelMessageLike = JsonObject & Parameters<typeof fromModelMessages>[0][number];

/** A model message of the AI SDK. */
export function isModelMessage(message: JsonObject): message is ModelMessageLike {
  return ["system", "user", "assistant", "tool"].some((role) => role === message["role"]);
}

type UIMessageLike = JsonObject & Parameters<typeof fromUIMessages>[0][number];

/** A UI message of the AI SDK. */
export function isUIMessage(message: JsonObject): message is UIMessageLike {
  const { id, role, parts } = message;
  return typeof id === "string" && typeof role === "string" && Array.isArray(parts);
}

/** A tool set of the AI SDK as JSON: by name, with the JSON Schema of the input. */
export function toolSetDefinitions(tools: JsonValue): readonly ToolDefinition[] {
  if (!isJsonObject(tools)) return toOpenAIDefinitions(allOf(tools, hasType, "tool"));
  return Object.entries(tools).map(([name, tool]) => {
    const { description, inputSchema = null } = isJsonObject(tool) ? tool : {};
    const parameters = toolParameters(inputSchema, name);
    const said = textOf(description);
    return {
      name,
      ...(said !== undefined && { description: said }),
      ...(parameters && { parameters }),
    };
  });
}

/** An entry, or those in a line of an exported thread: its summaries and states are not messages. */
export function entriesIn(line: JsonObject): readonly HistoryEntry[] {
  const { kind, entry } = line;
  if (typeof kind !== "string") return [parseEntry(line)];
  return kind === "entry" ? [decodeEntry(entry)] : [];
}
