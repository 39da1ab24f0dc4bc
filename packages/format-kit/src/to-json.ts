import type { JsonObject, JsonValue } from "@agent-history/core";

/** Gives JSON for an object that has none of its own; `undefined` leaves it to the rules of JSON. */
export type ReplaceObject = (value: object) => JsonValue | undefined;

/** Gives what JSON keeps of a value: without `undefined` and functions, `NaN` as `null`, -0 as 0, a `Date` as text. */
export function toJson(value: unknown, replace?: ReplaceObject): JsonValue {
  if (value === null || typeof value === "string" || typeof value === "boolean") return value;
  if (typeof value === "number") return Number.isFinite(value) ? value + 0 : null;
  if (typeof value !== "object") return null;
  const replaced = replace?.(value);
  if (replaced !== undefined) return replaced;
  if (Array.isArray(value)) return value.map((item) => toJson(item, replace));
  if ("toJSON" in value && typeof value.toJSON === "function") return toJson(value.toJSON());
  return toJsonObject(value, replace);
}

/** Gives what JSON keeps of an object. `__proto__` is a key like any other. */
export function toJsonObject(value: object, replace?: ReplaceObject): JsonObject {
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, field]) => field !== undefined && typeof field !== "function")
      .map(([key, field]) => [key, toJson(field, replace)]),
  );
}
