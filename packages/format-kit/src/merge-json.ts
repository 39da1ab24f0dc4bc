import type { JsonObject, JsonValue } from "@agent-history/core";

import { isJsonObject } from "./is-json-object.ts";

/** What may be shrunk or cleaned after it came: a `null` that once stood there does not hide what stands there now. */
const CONTENT_KEYS: ReadonlySet<string> = new Set(["content", "output"]);

/** Returns an object as it came: what its entry is rendered as, changed by the difference that `extra` carries. */
export function mergeJson(usual: JsonObject, extra: JsonObject | undefined): JsonObject {
  const without = listOf(extra?.["without"]);
  const fields = objectOf(extra?.["fields"]);
  const inner = objectOf(extra?.["inner"]);
  const stands = (key: string): boolean => CONTENT_KEYS.has(key) && !isEmpty(usual[key]);
  const kept = Object.entries(usual)
    .filter(([key]) => stands(key) || !without.includes(key))
    .map(([key, value]): [string, JsonValue] => {
      const deeper = Object.hasOwn(inner, key) ? inner[key] : undefined;
      const patched = isJsonObject(value) && isJsonObject(deeper);
      return [key, patched ? mergeJson(value, deeper) : value];
    });
  const changed = Object.entries(fields).filter(([key]) => !stands(key));
  return Object.fromEntries([...kept, ...changed]);
}

function isEmpty(value: JsonValue | undefined): boolean {
  return (value ?? "") === "" || (Array.isArray(value) && value.length === 0);
}

function objectOf(value: JsonValue | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}

function listOf(value: JsonValue | undefined): readonly JsonValue[] {
  return Array.isArray(value) ? value : [];
}
