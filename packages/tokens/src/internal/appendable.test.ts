import { arbitraryText, lawRuns } from "@agent-history/testkit";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { readEncoder } from "#read-encoder";

import type { EncodingName } from "./pre-tokens.ts";
import { textCounterOf } from "./text-counter.ts";
import { readTiktokenRanks } from "./token-ranks.ts";

const encodings = ["o200k_base", "cl100k_base"] as const satisfies readonly EncodingName[];

/** Where what follows may join what came before, or the other way round. */
const pieces = [
  ["a", "B", "Word", "UPPER", "camelCase", "漢", "漢字ABCDEFG", "ABCDEFG漢", "かな", "ǅ", "ʰ"],
  ["'", "'l", "l", "'s", "'RE", "'ſ", "s", "e", "\u0301", "\u200D", "\uFEFF"],
  [" ", "  ", "\n", "\r", "\t", " \n ", "\n\n   ", "\u00A0", "\u0085"],
  ["0", "12", "345", "½", "٣", ".", "!?", "/", "//", "[]", "<|endoftext|>", "<|im", "_start|>"],
  ["😀", "👩‍👩‍👧", "\uD83D", "\uDE00", "\uD801", "\uDC00", "𐐀", "𐐨", "\u{1ACF}"],
].flat();

/** Texts that come in pieces, cut anywhere. */
const streamed = fc.oneof(
  fc
    .array(fc.tuple(fc.constantFrom(...pieces), fc.constantFrom(1, 1, 1, 2, 3, 90)), {
      maxLength: 30,
    })
    .map((list) => list.map(([piece, times]) => piece.repeat(times))),
  fc.array(arbitraryText({ maxLength: 200 }), { maxLength: 6 }),
);

describe("appendable", () => {
  it.each(encodings)("counts pieces as the text that they make, at any time, in %s", (encoding) => {
    const { countText, appendable } = textCounterOf(encoding, () =>
      readTiktokenRanks(readEncoder(encoding)),
    );
    fc.assert(
      fc.property(streamed, fc.array(fc.nat(4), { minLength: 1 }), (texts, asked) => {
        const count = appendable();
        let text = "";
        texts.forEach((piece, index) => {
          count.append(piece);
          text += piece;
          if (asked[index % asked.length] === 0) expect(count.tokens()).toBe(countText(text));
        });
        expect(count.tokens()).toBe(countText(text));
      }),
      { numRuns: lawRuns(600) },
    );
  });
});

describe("countText with a limit", () => {
  it.each(encodings)(
    "is exact up to the limit, and between limit and count above it, in %s",
    (encoding) => {
      const { countText } = textCounterOf(encoding, () => readTiktokenRanks(readEncoder(encoding)));
      const long = fc
        .tuple(streamed, fc.constantFrom("The agent reads. ", "漢ABC", "a", " \n", "12 "))
        .map(([texts, filler]) => `${texts.join("")}${filler.repeat(3000)}${texts.join("")}`);
      fc.assert(
        fc.property(long, fc.double({ min: 0, max: 1.2, noNaN: true }), (text, share) => {
          const whole = countText(text);
          const atMost = Math.floor(whole * share);
          const count = countText(text, { atMost });

          if (whole <= atMost) expect(count).toBe(whole);
          else expect(count > atMost && count <= whole).toBe(true);
        }),
        { numRuns: lawRuns(40) },
      );
    },
  );
});
