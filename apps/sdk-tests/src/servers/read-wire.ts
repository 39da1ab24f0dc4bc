import type { JsonObject, JsonValue } from "@agent-history/core";
import { isJsonObject } from "@agent-history/format-kit";

/** Returns the objects of a list; what is no list has none. */
export function objectsAt(value: JsonValue | undefined, key: string): readonly JsonObject[] {
  const field = isJsonObject(value) ? value[key] : undefined;
  return Array.isArray(field) ? field.filter((item: JsonValue) => isJsonObject(item)) : [];
}

/** Returns every object with this field, however deep. */
export function objectsWith(value: JsonValue, key: string): readonly JsonObject[] {
  if (typeof value !== "object" || value === null) return [];
  const inner = Object.values(value).flatMap((field: JsonValue) => objectsWith(field, key));
  return isJsonObject(value) && (value[key] ?? null) !== null ? [value, ...inner] : inner;
}

/** Returns whether each name stands once. */
export function areUnique(names: readonly unknown[]): boolean {
  return new Set(names).size === names.length;
}

/** Returns the names of the rules that are broken. */
export function brokenRules(broken: Readonly<Record<string, boolean>>): readonly string[] {
  return Object.keys(broken).filter((rule) => broken[rule]);
}

/** Returns a text; anything else is none. */
export function textIn(value: JsonValue | undefined): string {
  return typeof value === "string" ? value : "";
}

/** A text in two pieces, as a stream sends it; none for an empty one. */
export function halvesOf(text: string): readonly string[] {
  const half = Math.ceil(text.length / 2);
  return [text.slice(0, half), text.slice(half)].filter((piece) => piece !== "");
}
