import { isObject } from "@agent-history/core";
import type { JsonObject, JsonValue, ToolDefinition } from "@agent-history/core";

import type { EncodingName } from "./pre-tokens.ts";
import type { CountText } from "./text-counter.ts";

// Source: OpenAI cookbook, "How to count tokens with tiktoken", section 7, `num_tokens_for_tools`: checked there against
// the API for gpt-3.5-turbo and gpt-4 (cl100k_base), gpt-4o and gpt-4o-mini (o200k_base).
const TOKENS_PER_FUNCTION: Readonly<Record<EncodingName, number>> = {
  o200k_base: 7,
  cl100k_base: 10,
};
const TOKENS_OF_PROPERTIES = 3;
const TOKENS_PER_PROPERTY = 3;
const TOKENS_OF_ENUM = -3;
const TOKENS_PER_ENUM_ITEM = 3;

/** What a request with tools has beside their definitions. */
export const TOKENS_OF_OPENAI_TOOLS = 12;

/** Keywords that the cookbook's rule counts, or that its examples have and it leaves out. */
const COVERED = new Set([
  "type",
  "description",
  "properties",
  "required",
  "enum",
  "items",
  "additionalProperties",
]);

/**
 * Counts one tool as OpenAI tells a model of it.
 *
 * The cookbook's rule knows one level of properties. What it is silent about is counted too, so as not to count
 * low: nested properties and the items of an array as properties are, any other keyword as its JSON text. The full stop of a tool's description counts,
 * as it does in requests whose usage was recorded; the cookbook's function takes it off, and its example has none.
 */
export function openaiToolTokens(
  tool: ToolDefinition,
  { encoding, countText }: { readonly encoding: EncodingName; readonly countText: CountText },
): number {
  const schemaTokens = (schema: JsonObject): number => {
    const { properties, items } = schema;
    const named = isObject(properties) ? Object.entries(properties) : [];
    const rest = Object.entries(schema).filter(([keyword]) => !COVERED.has(keyword));
    return (
      (named.length === 0 ? 0 : TOKENS_OF_PROPERTIES) +
      named.reduce((total, [name, property]) => total + propertyTokens(name, property), 0) +
      (isObject(items) ? propertyTokens("items", items) : 0) +
      (rest.length === 0 ? 0 : countText(JSON.stringify(Object.fromEntries(rest))))
    );
  };

  function propertyTokens(name: string, property: JsonValue): number {
    const schema = isObject(property) ? property : {};
    const line = `${name}:${typeText(schema["type"])}:${sentence(schema["description"])}`;
    return (
      TOKENS_PER_PROPERTY + countText(line) + enumTokens(schema["enum"]) + schemaTokens(schema)
    );
  }

  function enumTokens(items: JsonValue | undefined): number {
    if (!Array.isArray(items) || items.length === 0) return 0;
    const texts = items.map((item: JsonValue) =>
      typeof item === "string" ? item : JSON.stringify(item),
    );
    return texts.reduce(
      (total, text) => total + TOKENS_PER_ENUM_ITEM + countText(text),
      TOKENS_OF_ENUM,
    );
  }

  return (
    TOKENS_PER_FUNCTION[encoding] +
    countText(`${tool.name}:${tool.description ?? ""}`) +
    schemaTokens(tool.parameters ?? {})
  );
}

/** The cookbook counts a description of a property without its full stop. */
function sentence(description: JsonValue | undefined): string {
  return typeof description === "string" ? description.replace(/\.$/, "") : "";
}

function typeText(type: JsonValue | undefined): string {
  if (typeof type === "string") return type;
  return Array.isArray(type) ? type.join("|") : "";
}
