import { countOption } from "@agent-history/core";
import * as fc from "fast-check";

import { LONE_SURROGATE_TEXTS, ODD_TEXTS, RUN_UNITS, WORDS } from "./internal/text-samples.ts";

/** What texts to generate. */
export interface TextConstraints {
  /** In UTF-16 code units, from 0; `Infinity` goes up to a million. Default 2000. */
  readonly maxLength?: number;
  /** Lets half of a surrogate pair stand alone, which no encoding can write. Default `true`. */
  readonly loneSurrogates?: boolean;
}

/**
 * Generates texts as they come: empty and plain ones, long words, CJK, emoji, right-to-left, JSON (malformed too), Markdown with
 * tags and fences, code, base64, control characters, special tokens, and hostile runs of one letter, space or bracket.
 * Shrinks to the empty text.
 *
 * @throws `HistoryError` with code `INVALID_OPTION` if `maxLength` is not a non-negative integer or `Infinity`.
 * @example
 * ```ts
 * import { arbitraryText } from "@agent-history/testkit";
 * import * as fc from "fast-check";
 *
 * fc.sample(arbitraryText({ maxLength: 3 }), 100).every((text) => text.length <= 3);
 * // => true
 * ```
 */
export function arbitraryText(constraints: TextConstraints = {}): fc.Arbitrary<string> {
  const { loneSurrogates = true } = constraints;
  const maxLength = Math.min(countOption("maxLength", constraints.maxLength ?? 2000), 1_000_000);
  const samples = loneSurrogates ? [...ODD_TEXTS, ...LONE_SURROGATE_TEXTS] : ODD_TEXTS;
  const words = fc.array(fc.constantFrom(...WORDS), { maxLength: 12 });
  const run = fc
    .tuple(fc.constantFrom(...RUN_UNITS), fc.nat({ max: maxLength }))
    .map(([unit, length]) => cut(unit.repeat(Math.ceil(length / unit.length)), length));
  const texts = fc.oneof(
    { withCrossShrink: true },
    { weight: 6, arbitrary: fc.constantFrom(...samples) },
    { weight: 6, arbitrary: words.map((list) => list.join(" ")) },
    { weight: 1, arbitrary: fc.string({ unit: "binary", maxLength: 24 }) },
    { weight: 1, arbitrary: run },
    { weight: 1, arbitrary: run.map((text) => `${text} end`) },
    { weight: loneSurrogates ? 1 : 0, arbitrary: codeUnits },
  );
  return texts.map((text) => cut(text, maxLength));
}

const codeUnits: fc.Arbitrary<string> = fc
  .array(fc.constantFrom(0x61, 0x20, 0x5b, 0xd83d, 0xdc4d, 0x200d), { maxLength: 12 })
  .map((units) => String.fromCharCode(...units));

/** Never leaves the first half of a pair whose second half it cut off. */
function cut(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text;
  const splitsPair = /[\uD800-\uDBFF][\uDC00-\uDFFF]/.test(
    text.slice(maxLength - 1, maxLength + 1),
  );
  return text.slice(0, splitsPair ? maxLength - 1 : maxLength);
}
