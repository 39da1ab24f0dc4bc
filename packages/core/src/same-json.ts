/**
 * Returns whether two values are the same JSON. The order of keys does not matter, and `undefined` fields count as missing. A value
 * that cannot be read, or is nested deeper than the call stack, equals nothing. Linear.
 *
 * @example
 * ```ts
 * import { sameJson } from "@agent-history/core";
 *
 * sameJson({ a: 1, b: [2] }, { b: [2], a: 1, c: undefined });
 * // => true
 * ```
 */
export function sameJson(one: unknown, other: unknown): boolean {
  try {
    return isSame(one, other);
  } catch {
    return false;
  }
}

function isSame(one: unknown, other: unknown): boolean {
  if (one === other) return true;
  if (typeof one !== "object" || typeof other !== "object" || one === null || other === null)
    return false;
  if (Array.isArray(one) !== Array.isArray(other)) return false;
  const left = fieldsOf(one);
  const right = new Map(fieldsOf(other));
  return (
    left.length === right.size &&
    left.every(([key, value]) => right.has(key) && isSame(value, right.get(key)))
  );
}

function fieldsOf(value: object): readonly (readonly [string, unknown])[] {
  return Object.entries(value).filter(([, field]) => field !== undefined);
}
