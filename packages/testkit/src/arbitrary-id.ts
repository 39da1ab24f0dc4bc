import * as fc from "fast-check";

/**
 * Generates ids, each a text of one character or more: plain ones, names that a plain object already has (`__proto__`,
 * `constructor`), `*`, `{}`, quotes, spaces, line separators, emoji, very long ones. Not unique. Shrinks to `a`.
 *
 * @example
 * ```ts
 * import { arbitraryId } from "@agent-history/testkit";
 * import * as fc from "fast-check";
 *
 * fc.sample(arbitraryId(), 100).every((id) => id.length > 0);
 * // => true
 * ```
 */
export function arbitraryId(): fc.Arbitrary<string> {
  return fc.oneof(
    { withCrossShrink: true },
    { weight: 3, arbitrary: fc.constantFrom(...ODD_IDS) },
    { weight: 2, arbitrary: fc.nat({ max: 99 }).map((number) => `id-${number}`) },
    { weight: 1, arbitrary: fc.string({ unit: "binary", minLength: 1, maxLength: 12 }) },
  );
}

/** Ids that have gone wrong somewhere. */
export const ODD_IDS: readonly string[] = [
  ..."a 0 1 -1 1.0 __proto__ constructor prototype toString hasOwnProperty length".split(" "),
  ..."null undefined {} {a} [] * ? : a:b a/b ../a a.b % %s ' \" ` \\".split(" "),
  ..." | a |a b|\n|\t|\u0000|\u2028|\uFEFF".split("|"),
  ..."é e\u0301 日本 👍 👩‍👩‍👧‍👦 - --".split(" "),
  "'; DROP TABLE entries; --",
  "x".repeat(1000),
];
