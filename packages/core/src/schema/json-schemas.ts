import * as z from "zod/mini";

import { isObject } from "../json.ts";
import type { JsonObject, JsonValue } from "../json.ts";
import { readOr } from "../over-readable.ts";

/** How many objects and arrays may stand inside one another; deeper, some JSON writers run out of stack. */
const MAX_JSON_DEPTH = 256;

/** Most characters of a key in a path. */
const MAX_KEY = 80;

/**
 * Accepts any JSON value and gives a frozen copy. Every key survives, `__proto__` too; -0, which JSON cannot write, becomes 0. Refuses what
 * JSON would change or lose (`undefined`, `NaN`, a `Date`, an instance of a class), and what is nested deeper than
 * {@link MAX_JSON_DEPTH}, which a cycle always is.
 */
export const jsonValueSchema: z.ZodMiniType<JsonValue> = z.pipe(
  z.unknown(),
  z.transform((value, context) => {
    const refusal: Refused = { kind: "", path: [] };
    const copied = copyJson(value, 0, refusal);
    if (copied !== undefined) return copied;
    // The path is left out: keys are the user's text.
    const message = `Expected JSON without ${refusal.kind}`;
    context.issues.push({ code: "custom", message, input: value });
    return z.NEVER;
  }),
);

/** Accepts a JSON object; otherwise as {@link jsonValueSchema}. */
export const jsonObjectSchema: z.ZodMiniType<JsonObject> = z.pipe(
  jsonValueSchema,
  z.custom<JsonObject>(isObject, "Expected a JSON object"),
);

/** A value that JSON would change or lose. */
export interface NonJson {
  /** Path to it, keys joined by `.`; empty for the whole value, or if it is too long to help. */
  readonly path: string;
  /** What it is, for example `undefined` or `NaN or Infinity`. Never its content. */
  readonly kind: string;
}

/**
 * Finds the first value that {@link jsonValueSchema} refuses. Linear.
 *
 * @returns Where it is and what it is; `undefined` for JSON.
 *
 * @example
 * ```ts
 * import { findNonJson } from "@agent-history/core/schema";
 *
 * findNonJson({ a: [1, { b: Number.NaN }] });
 * // => { path: "a.1.b", kind: "NaN or Infinity" }
 * findNonJson({ a: [1, null] });
 * // => undefined
 * ```
 */
export function findNonJson(value: unknown): NonJson | undefined {
  const { path, kind }: Refused = readOr(
    { path: [], kind: "a value that throws when it is read" },
    () => {
      const refusal: Refused = { kind: "", path: [] };
      copyJson(value, 0, refusal);
      return refusal;
    },
  );
  return kind === ""
    ? undefined
    : { path: path.length < MAX_JSON_DEPTH ? path.join(".") : "", kind };
}

interface Refused {
  kind: string;
  readonly path: string[];
}

/** Copies until the first problem, then returns `undefined`, so that branching cycles end too. */
function copyJson(value: unknown, depth: number, refusal: Refused): JsonValue | undefined {
  if (value === null || typeof value === "string" || typeof value === "boolean") return value;
  if (typeof value === "number" && Number.isFinite(value)) return value + 0;
  if (typeof value !== "object" || depth === MAX_JSON_DEPTH || !isPlain(value)) {
    refusal.kind = nameKind(value);
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
    if (copy === undefined) {
      refusal.path.unshift(key.slice(0, MAX_KEY));
      return undefined;
    }
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
