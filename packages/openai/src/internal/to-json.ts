import type { JsonObject, JsonValue } from "@agent-history/core";

/** Gives what JSON keeps of an object: without `undefined` and functions, a `Date` as text. `__proto__` is a key like any other. */
export function toJsonObject(value: object): JsonObject {
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, field]) => field !== undefined && typeof field !== "function")
      .map(([key, field]) => [key, toJson(field)]),
  );
}

/** Gives what JSON keeps of a value. */
export function toJson(value: unknown): JsonValue {
  if (value === null || typeof value === "string" || typeof value === "boolean") return value;
  // -0 is 0 in JSON.
  if (typeof value === "number") return Number.isFinite(value) ? value + 0 : null;
  if (typeof value !== "object") return null;
  if (Array.isArray(value)) return value.map((item) => toJson(item));
  if ("toJSON" in value && typeof value.toJSON === "function") return toJson(value.toJSON());
  return toJsonObject(value);
}
