import type { JsonObject, JsonValue } from "@agent-history/core";

/** Returns whether a value is an object, and no list. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Returns the object of a field; what is none is empty. */
export function objectAt(value: JsonValue | undefined, key: string): JsonObject {
  const field = isObject(value) ? value[key] : undefined;
  return isObject(field) ? field : {};
}

/** Returns the objects of a list; what is no list has none. */
export function objectsAt(value: JsonValue | undefined, key: string): readonly JsonObject[] {
  const field = isObject(value) ? value[key] : undefined;
  return Array.isArray(field) ? field.filter((item: JsonValue) => isObject(item)) : [];
}

/** Returns every object with this field, however deep, but for what a tool is given and what it takes. */
export function objectsWith(value: JsonValue, key: string): readonly JsonObject[] {
  if (typeof value !== "object" || value === null) return [];
  const inner = Object.entries(value).flatMap(([name, field]: [string, JsonValue]) =>
    name === "input" || name === "input_schema" ? [] : objectsWith(field, key),
  );
  return isObject(value) && (value[key] ?? null) !== null ? [value, ...inner] : inner;
}

/** Returns whether each name stands once. */
export function areUnique(names: readonly unknown[]): boolean {
  return new Set(names).size === names.length;
}

/** Returns a text; anything else is none. */
export function textIn(value: JsonValue | undefined): string {
  return typeof value === "string" ? value : "";
}

/** Returns whether a field is there, with a value. */
export function has(value: JsonObject, key: string): boolean {
  return (value[key] ?? null) !== null;
}

/** Returns whether a text is JSON of an object. */
export function isJsonOfObject(text: string): boolean {
  try {
    const value: JsonValue = JSON.parse(text);
    return isObject(value);
  } catch {
    return false;
  }
}

/** Returns whether a text or a key of a value, however deep, holds half a surrogate pair. */
export function hasHalfSurrogate(value: JsonValue): boolean {
  if (typeof value === "string") return !value.isWellFormed();
  if (typeof value !== "object" || value === null) return false;
  return Object.entries(value).some(
    ([key, field]: [string, JsonValue]) => !key.isWellFormed() || hasHalfSurrogate(field),
  );
}

/** A text in two pieces, as a stream sends it; none for an empty one. */
export function halvesOf(text: string): readonly string[] {
  const half = Math.ceil(text.length / 2);
  return [text.slice(0, half), text.slice(half)].filter((piece) => piece !== "");
}
