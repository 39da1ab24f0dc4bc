/** Deepest nesting of objects and arrays that a store accepts. */
const MAX_DEPTH = 256;

/** Most characters of a key in an error. */
const MAX_KEY = 80;

/** A value that JSON would change or lose. */
export interface NonJson {
  /** Path to it, keys joined by `.`; empty for the whole value. */
  readonly path: string;
  /** What it is, for example `undefined` or `NaN or Infinity`. Never its content. */
  readonly kind: string;
}

/**
 * Finds the first value that JSON would change or lose: `undefined`, `NaN`, a bigint, a function, an instance of a class, a cycle, what throws when it is
 * read, and more than 256 levels. `-0` passes: JSON writes it as `0`. Linear.
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
  try {
    return find(value, []);
  } catch {
    return { path: "", kind: "a value that throws when it is read" };
  }
}

function find(value: unknown, path: readonly string[]): NonJson | undefined {
  const kind = kindOf(value, path.length);
  // A longer path helps nobody.
  if (kind !== undefined) return { path: path.length < MAX_DEPTH ? path.join(".") : "", kind };
  if (typeof value !== "object" || value === null) return undefined;
  // Array.from visits holes, which a loop over keys skips.
  const items: readonly (readonly [string, unknown])[] = Array.isArray(value)
    ? Array.from(value, (item: unknown, index) => [String(index), item] as const)
    : Object.entries(value);
  for (const [key, item] of items) {
    const found = find(item, [...path, key.slice(0, MAX_KEY)]);
    if (found !== undefined) return found;
  }
  return undefined;
}

function kindOf(value: unknown, depth: number): string | undefined {
  if (value === null || typeof value === "string" || typeof value === "boolean") return undefined;
  if (typeof value === "number") return Number.isFinite(value) ? undefined : "NaN or Infinity";
  if (typeof value !== "object") return typeof value;
  if (depth === MAX_DEPTH) return `more than ${MAX_DEPTH} levels`;
  const prototype: unknown = Object.getPrototypeOf(value);
  const isPlain =
    Array.isArray(value) || prototype === null || Object.getPrototypeOf(prototype) === null;
  return isPlain ? undefined : "an instance of a class";
}
