/**
 * Freezes a value and everything it holds, and returns the same value: what it is handed to afterwards cannot change its
 * input unseen (L8). Walks each object once, so that cycles end.
 *
 * @example
 * ```ts
 * import { deepFreeze } from "@agent-history/testkit";
 *
 * const entries = deepFreeze([{ content: "Hello" }]);
 * Object.isFrozen(entries[0]);
 * // => true
 * ```
 */
export function deepFreeze<Value>(value: Value): Value {
  const waiting: unknown[] = [value];
  const seen = new Set<unknown>();
  while (waiting.length > 0) {
    const current = waiting.pop();
    if (typeof current !== "object" || current === null || seen.has(current)) continue;
    seen.add(Object.freeze(current));
    for (const key of Reflect.ownKeys(current)) waiting.push(Reflect.get(current, key));
  }
  return value;
}
