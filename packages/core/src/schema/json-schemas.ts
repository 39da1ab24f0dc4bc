import * as z from "zod";

import type { JsonObject, JsonValue } from "../json.ts";
import { unsignedZero } from "./internal/scalars.ts";

/** How many objects and arrays may stand inside one another; deeper, some JSON writers run out of stack. */
export const MAX_JSON_DEPTH = 256;

/**
 * Accepts any JSON value and gives a frozen copy. Every key survives, `__proto__` too; -0, which JSON cannot write,
 * becomes 0. Refuses what JSON would change or lose (`undefined`, `NaN`, a `Date`, an instance of a class), and what
 * is nested deeper than {@link MAX_JSON_DEPTH}, which a cycle always is.
 */
export const jsonValueSchema: z.ZodType<JsonValue> = z.unknown().transform((value, context) => {
  const problems: string[] = [];
  const copy = copyJson(value, 0, problems);
  for (const message of problems) context.addIssue({ code: "custom", message });
  return copy;
});

/** Accepts a JSON object; otherwise as {@link jsonValueSchema}. */
export const jsonObjectSchema: z.ZodType<JsonObject> = jsonValueSchema.pipe(
  z.custom<JsonObject>(
    (json) => typeof json === "object" && json !== null && !Array.isArray(json),
    "Expected a JSON object",
  ),
);

/** Copies until the first problem, so that a cycle with many arms ends too. */
function copyJson(value: unknown, depth: number, problems: string[]): JsonValue {
  if (problems.length > 0) return null;
  if (value === null || typeof value === "string" || typeof value === "boolean") return value;
  if (typeof value === "number" && Number.isFinite(value)) return unsignedZero(value);
  if (typeof value !== "object") return refuse(value, problems);
  if (depth === MAX_JSON_DEPTH || !isPlain(value)) return refuse(value, problems);
  const copy = (item: unknown): JsonValue => copyJson(item, depth + 1, problems);
  // Array.from meets the holes that map skips; fromEntries never calls the `__proto__` setter.
  return Array.isArray(value)
    ? Object.freeze(Array.from(value, copy))
    : Object.freeze(
        Object.fromEntries(Object.entries(value).map(([key, item]) => [key, copy(item)])),
      );
}

/** Returns whether an object is an array, is written `{}` (in this realm or another), or has no prototype. */
function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return Array.isArray(value) || prototype === null || Object.getPrototypeOf(prototype) === null;
}

function refuse(value: unknown, problems: string[]): null {
  problems.push(`Expected JSON without ${nameKind(value)}`);
  return null;
}

function nameKind(value: unknown): string {
  if (typeof value === "number") return "NaN or Infinity";
  if (typeof value !== "object" || value === null) return typeof value;
  return isPlain(value) ? `more than ${MAX_JSON_DEPTH} levels` : "an instance of a class";
}
