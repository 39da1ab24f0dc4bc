import type * as z from "zod/mini";

import { readOr } from "../over-readable.ts";

/** The first problem that a schema found. Never quotes the value. */
export interface Refusal {
  /** What was expected, for example `Expected a string`. */
  readonly message: string;
  /** Path to the value, keys joined by `.`. */
  readonly path: string;
  /** What kind of value came instead, for example `a number`. */
  readonly received: string;
}

/** Copies a value by a schema, or says what is wrong with it. Never throws. */
export function checkValue<Value>(
  schema: z.ZodMiniType<Value>,
  value: unknown,
): { readonly value: Value } | { readonly refusal: Refusal } {
  const result = readOr(undefined, () => schema.safeParse(value));
  if (result?.success === true) return { value: result.data };
  const [first] = result?.error.issues ?? [];
  if (first === undefined) {
    const received = "a value that throws when it is read, is cyclic, or is nested too deeply";
    return { refusal: { message: "Expected JSON", path: "", received } };
  }
  const [issue, path] = innermost(first, first.path);
  const received =
    issue.code === "unrecognized_keys" ? `${issue.keys.length} more` : kindAt(value, path);
  return { refusal: { message: issue.message, path: path.join("."), received } };
}

/**
 * Returns the copy of a valid value, or `undefined` for any other, also for one that throws when it is read.
 *
 * @example
 * ```ts
 * import { validCopy } from "@agent-history/core/schema";
 * import * as z from "zod/mini";
 *
 * const schema = z.object({ names: z.array(z.string()) });
 * validCopy(schema, { names: ["Ada"], unknown: 1 });
 * // => { names: ["Ada"] }
 * validCopy(schema, { names: "Ada" });
 * // => undefined
 * ```
 */
export function validCopy<Value>(schema: z.ZodMiniType<Value>, value: unknown): Value | undefined {
  return readOr(undefined, () => schema.safeParse(value).data);
}

/** Describes the kind of value at a path, for example `a number`. */
export function kindAt(value: unknown, path: readonly PropertyKey[]): string {
  const found = readOr<unknown>({}, () =>
    path.reduce<unknown>(
      (outer, key) =>
        typeof outer === "object" && outer !== null ? Reflect.get(outer, key) : undefined,
      value,
    ),
  );
  if (found === undefined || found === null) return String(found);
  if (found === "") return "an empty string";
  if (Array.isArray(found)) return found.length === 0 ? "an empty list" : "a list";
  if (typeof found === "number") return Number.isFinite(found) ? "a number" : String(found);
  return typeof found === "object" ? "an object" : `a ${typeof found}`;
}

/** For a value that matches no member of a union: the problem of the member that its discriminator names. */
function innermost(
  issue: z.core.$ZodIssue,
  path: readonly PropertyKey[],
): readonly [z.core.$ZodIssue, readonly PropertyKey[]] {
  const within = issue.code === "invalid_union" ? issue.errors.flat() : [];
  const next = within.find((inner) => inner.path.length > 0);
  return next === undefined ? [issue, path] : innermost(next, [...path, ...next.path]);
}
