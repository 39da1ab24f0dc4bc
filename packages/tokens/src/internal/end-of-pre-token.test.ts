import { arbitraryText, lawRuns } from "@agent-history/testkit";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import type { EncodingName } from "./encoding-name.ts";
import { endsOfPreTokens } from "./end-of-pre-token.ts";
import { LATER_THAN_UNICODE_16 } from "./later-than-unicode-16.ts";

const encodings = ["o200k_base", "cl100k_base"] as const satisfies readonly EncodingName[];

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/** One or two of each class, and what contractions are made of. */
const characters = [
  ["a", "s", "l", "e", "v", "ß", "ſ", "𐐨", "A", "S", "L", "R", "É", "ǅ", "𐐀", "ʰ", "ª", "漢", "か"],
  [
    "\u0301",
    "\u20DD",
    "\u{E0100}",
    "0",
    "7",
    "½",
    "٣",
    "Ⅷ",
    "'",
    "’",
    ".",
    "/",
    "{",
    "😀",
    "\uFFFD",
  ],
  [" ", "\t", "\n", "\r", "\u0085", "\u00A0", "\u3000", "\uFEFF", "\u200B", "\0", "\u007F"],
  ["\u{1ACF}", "\uA7CE", "\u{10940}", "\u{11DE0}", "\uD800", "\uDC00"],
].flat();

const texts = fc.oneof(
  fc.string({ unit: fc.constantFrom(...characters), minLength: 1, maxLength: 12 }),
  fc.string({
    unit: fc.constantFrom("a", "A", "漢", "\u0301", " ", "\n", "'s", "1", "/"),
    maxLength: 40,
  }),
  fc.string({ unit: "binary", maxLength: 20 }),
  arbitraryText({ maxLength: 300 }),
);

/**
 * `pat_str` of the encoders in tiktoken 1.0.22, translated from Rust. There `\s` is Unicode's white space: U+0085 belongs, the
 * byte-order mark U+FEFF does not; in JavaScript it is the other way round. `(?i:'s)` is written out, since Node 22 has no such
 * groups: the long s is an s there. tiktoken knows Unicode 16: what is newer is neither letter, mark nor number.
 */
const patterns = createPatterns();

describe("endsOfPreTokens", () => {
  it.each(encodings)("end where the pattern of %s ends a match", (encoding) => {
    fc.assert(
      fc.property(texts, (text) => {
        const wellFormed = decoder.decode(encoder.encode(text));
        expect(split(text, encoding)).toEqual(wellFormed.match(patterns[encoding]) ?? []);
      }),
      { numRuns: lawRuns(10_000) },
    );
  });

  it.each(encodings)("end so for every code point, in %s", (encoding) => {
    const codePoints = Array.from({ length: 0x11_0000 }, (_, codePoint) => codePoint).filter(
      (codePoint) => codePoint < 0xd800 || codePoint > 0xdfff,
    );
    // Of each class, one stands before and one after.
    for (let from = 0; from < codePoints.length; from += 4096) {
      const text = codePoints
        .slice(from, from + 4096)
        .map((codePoint) => `a${String.fromCodePoint(codePoint)}A1.`)
        .join("");
      expect(split(text, encoding).join("|")).toBe(text.match(patterns[encoding])?.join("|"));
    }
  });
});

function split(text: string, encoding: EncodingName): readonly string[] {
  const bytes = encoder.encode(text);
  const preTokens: string[] = [];
  for (let start = 0, end = 0; start < bytes.length; start = end) {
    end = endsOfPreTokens[encoding](bytes, start, bytes.length);
    preTokens.push(decoder.decode(bytes.subarray(start, end)));
  }
  return preTokens;
}

function createPatterns(): Readonly<Record<EncodingName, RegExp>> {
  const space = String.raw`\p{White_Space}`;
  const contraction = String.raw`'(?:[sSſtTmMdD]|[rR][eE]|[vV][eE]|[lL][lL])`;
  const known = (properties: string): string => `[[${properties}]--${LATER_THAN_UNICODE_16}]`;
  const letter = known(String.raw`\p{L}`);
  const number = known(String.raw`\p{N}`);
  const prefix = `[^\\r\\n${letter}${number}]?`;
  const upper = known(String.raw`\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}`);
  const lower = known(String.raw`\p{Ll}\p{Lm}\p{Lo}\p{M}`);
  const digits = `${number}{1,3}`;
  const signs = ` ?[^${space}${letter}${number}]+`;
  const spaces = [`${space}*[\\r\\n]+`, `${space}+(?!\\P{White_Space})`, `${space}+`];

  const o200k = [
    `${prefix}${upper}*${lower}+(?:${contraction})?`,
    `${prefix}${upper}+${lower}*(?:${contraction})?`,
    digits,
    `${signs}[\\r\\n\\/]*`,
    ...spaces,
  ];
  const cl100k = [contraction, `${prefix}${letter}+`, digits, `${signs}[\\r\\n]*`, ...spaces];
  return {
    o200k_base: new RegExp(o200k.join("|"), "gv"),
    cl100k_base: new RegExp(cl100k.join("|"), "gv"),
  };
}
