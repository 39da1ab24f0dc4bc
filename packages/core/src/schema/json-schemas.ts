import * as z from "zod/mini";

import { isObject } from "../json.ts";
import type { JsonObject, JsonValue } from "../json.ts";

/** How many objects and arrays may stand inside one another; deeper, some JSON writers run out of stack. */
export const MAX_JSON_DEPTH = 256;

/**
 * Accepts any JSON value and gives a frozen copy. Every key survives, `__proto__` too; -0, which JSON cannot write, becomes 0. Refuses what
 * JSON would change or lose (`undefined`, `NaN`, a `Date`, an instance of a class), and what is nested deeper than
 * {@link MAX_JSON_DEPTH}, which a cycle always is.
 */
export const jsonValueSchema: z.ZodMiniType<JsonValue> = z.pipe(
  z.unknown(),
  z.transform((value, context) => {
    const refusal = { message: "" };
    const copied = copyJson(value, 0, refusal);
    if (copied !== undefined) return copied;
    // The path is left out: keys are the user's text.
    context.issues.push({ code: "custom", message: refusal.message, input: value });
    return z.NEVER;
  }),
);

/** Accepts a JSON object; otherwise as {@link jsonValueSchema}. */
export const jsonObjectSchema: z.ZodMiniType<JsonObject> = z.pipe(
  jsonValueSchema,
  z.custom<JsonObject>(isObject, "Expected a JSON object"),
);

/** Copies until the first problem, then returns `undefined`, so that branching cycles end too. */
function copyJson(
  value: unknown,
  depth: number,
  refusal: { message: string },
): JsonValue | undefined {
  if (value === null || typeof value === "string" || typeof value === "boolean") return value;
  if (typeof value === "number" && Number.isFinite(value)) return value + 0;
  if (typeof value !== "object" || depth === MAX_JSON_DEPTH || !isPlain(value)) {
    refusal.message = `Expected JSON without ${nameKind(value)}`;
    return undefined;
  }
  const isList = Array.isArray(value);
  const copied: (readonly [string, JsonValue])[] = [];
  // Read lists by index: a custom iterator may never end.
  const keys = isList
    ? Array.from({ length: value.length }, (_, at) => `${at}`)
    : Object.keys(value);
  for (const key of keys) {
    const copy = copyJson(Reflect.get(value, key), depth + 1, refusal);
    if (copy === undefined) return undefined;
    copied.push([key, copy]);
  }
  // `fromEntries` never calls the `__proto__` setter.
  return Object.freeze(isList ? copied.map(([, item]) => item) : Object.fromEntries(copied));
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
