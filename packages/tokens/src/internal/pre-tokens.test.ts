import { arbitraryText, lawRuns } from "@agent-history/testkit";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import type { EncodingName } from "./pre-tokens.ts";
import { lastSeam, preTokenPatterns } from "./pre-tokens.ts";

const encodings = ["o200k_base", "cl100k_base"] as const satisfies readonly EncodingName[];

/** One or two of each class, and what contractions are made of. */
const characters = [
  ["a", "s", "l", "e", "v", "ß", "ſ", "𐐨", "A", "S", "L", "R", "É", "ǅ", "𐐀", "ʰ", "ª", "漢", "か"],
  ["\u0301", "\u20DD", "\u{E0100}", "0", "7", "½", "٣", "Ⅷ", "'", "’", ".", "/", "{", "😀"],
  [" ", " ", "\t", "\n", "\r", "\u0085", "\u00A0", "\u3000", "\uFEFF", "\u200B", "\0", "\uFFFD"],
  ["\u{1ACF}", "\uA7CE", "\u{10940}", "\u{11DE0}", "\uD800", "\uDC00"],
].flat();

describe("lastSeam", () => {
  it.each(encodings)("cuts a text where its pre-tokens stay as they are, in %s", (encoding) => {
    const split = (text: string): readonly string[] => text.match(preTokenPatterns[encoding]) ?? [];
    const texts = fc.oneof(
      fc.string({ unit: fc.constantFrom(...characters), minLength: 2, maxLength: 12 }),
      fc.string({ unit: fc.constantFrom("a", "A", "漢", "'", "'s", " ", "\n", "1"), maxLength: 9 }),
      fc.string({ unit: "binary", maxLength: 20 }),
      arbitraryText({ maxLength: 300 }),
    );
    fc.assert(
      fc.property(texts, fc.nat(40), (text, to) => {
        const seam = lastSeam(text, 0, to);
        if (seam === undefined) return;
        expect(seam).toBeLessThanOrEqual(to);
        expect([...split(text.slice(0, seam)), ...split(text.slice(seam))]).toEqual(split(text));
      }),
      { numRuns: lawRuns(10_000) },
    );
  });

  it("finds a place in any text with words", () => {
    for (const text of ["two words", "a\nb", "今天，你好。", "x=1;y=2;", '{"a":"b"}']) {
      expect(lastSeam(text, 0, text.length)).toBeGreaterThan(0);
    }
  });
});
