import type { JsonObject, JsonValue } from "../../json.ts";
import { REFUSED, refuse } from "./check.ts";
import type { Check, Refusal } from "./check.ts";

/** How many objects and arrays may stand inside one another; deeper, some JSON writers run out of stack. */
export const MAX_JSON_DEPTH = 256;

/**
 * Takes any JSON value. Every key survives, `__proto__` too; -0, which JSON cannot write, becomes 0. Refuses what JSON would change or lose (`undefined`,
 * `NaN`, a `Date`, an instance of a class), and what is nested deeper than {@link MAX_JSON_DEPTH}, which a cycle always is.
 */
export const jsonValueCheck: Check<JsonValue> = (value, refusal) => {
  const copied = copyJson(value, 0, refusal);
  // Where in the JSON it is, is not said: its keys are text of the user's.
  return copied === REFUSED ? refuse(refusal, refusal.message, value) : copied;
};

/** Takes a JSON object; otherwise as {@link jsonValueCheck}. */
export const jsonObjectCheck: Check<JsonObject> = (value, refusal) => {
  const copied = jsonValueCheck(value, refusal);
  if (copied === REFUSED || isJsonObject(copied)) return copied;
  return refuse(refusal, "Expected a JSON object", value);
};

/** Copies until the first problem, so that a cycle with many arms ends too. */
function copyJson(value: unknown, depth: number, refusal: Refusal): JsonValue | typeof REFUSED {
  if (value === null || typeof value === "string" || typeof value === "boolean") return value;
  if (typeof value === "number" && Number.isFinite(value)) return value + 0;
  if (typeof value !== "object" || depth === MAX_JSON_DEPTH || !isPlain(value)) {
    return refuse(refusal, `Expected JSON without ${nameKind(value)}`, value);
  }
  return Array.isArray(value)
    ? copyList(value, depth + 1, refusal)
    : copyObject(value, depth + 1, refusal);
}

function copyList(
  list: readonly unknown[],
  depth: number,
  refusal: Refusal,
): JsonValue | typeof REFUSED {
  const copied: JsonValue[] = [];
  // By index: an iterator may be the list's own, and never end.
  for (let index = 0; index < list.length; index++) {
    const copy = copyJson(list[index], depth, refusal);
    if (copy === REFUSED) return REFUSED;
    copied.push(copy);
  }
  return Object.freeze(copied);
}

function copyObject(object: object, depth: number, refusal: Refusal): JsonValue | typeof REFUSED {
  const copied: (readonly [key: string, item: JsonValue])[] = [];
  for (const [key, item] of Object.entries(object)) {
    const copy = copyJson(item, depth, refusal);
    if (copy === REFUSED) return REFUSED;
    copied.push([key, copy]);
  }
  // It never calls the `__proto__` setter.
  return Object.freeze(Object.fromEntries(copied));
}

/** Returns whether an object is an array, is written `{}` (in this realm or another), or has no prototype. */
function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return Array.isArray(value) || prototype === null || Object.getPrototypeOf(prototype) === null;
}

function nameKind(value: unknown): string {
  if (typeof value === "number") return "NaN or Infinity";
  if (typeof value !== "object" || value === null) return typeof value;
  return isPlain(value) ? `more than ${MAX_JSON_DEPTH} levels` : "an instance of a class";
}

function isJsonObject(json: JsonValue): json is JsonObject {
  return typeof json === "object" && json !== null && !Array.isArray(json);
}
