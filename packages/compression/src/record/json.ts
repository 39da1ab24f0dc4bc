import type { JsonObject, JsonValue } from "@agent-history/core";

/** Reads a text as JSON; `undefined` where it is none. */
export function parseJson(text: string): JsonValue | undefined {
  try {
    const value: JsonValue = JSON.parse(text);
    return value;
  } catch {
    return undefined;
  }
}

/** Reads a text as a JSON object; an empty one where it is none. */
export function parseObject(text: string): JsonObject {
  const value = parseJson(text);
  return isObject(value) ? value : {};
}

export function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Returns a field that is a text. */
export function textAt(object: JsonObject, ...keys: readonly string[]): string {
  for (const key of keys) {
    const value = object[key];
    if (typeof value === "string" && value !== "") return value;
  }
  return "";
}
