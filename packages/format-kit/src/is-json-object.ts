import type { JsonObject, JsonValue } from "@agent-history/core";

/** Returns whether a JSON value is an object: neither a list nor `null`. */
export function isJsonObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
