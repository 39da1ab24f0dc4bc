import { arbitraryText, lawRuns } from "@agent-history/testkit";
import * as fc from "fast-check";
import { get_encoding, type Tiktoken } from "tiktoken";
import { afterAll, describe, expect, it } from "vitest";

import { readEncoder } from "#read-encoder";

import type { EncodingName } from "./pre-tokens.ts";
import { LATER_THAN_UNICODE_16 } from "./pre-tokens.ts";
import { type CountText, textCounterOf } from "./text-counter.ts";

const encodings = ["o200k_base", "cl100k_base"] as const satisfies readonly EncodingName[];

/** What reads otherwise in one of the libraries, in one of the regular expressions, or in one of the alphabets. */
const pieces = [
  [" ", "\t", "\n", "\r", "\u000B", "\u000C", "\u0085", "\u00A0", "\u1680", "\u2003", "\u2028"],
  ["\u202F", "\u3000", "\uFEFF", "\u200B", "\u200C", "\u200D", "\u2060"],
  ["\r\n", "\n\n", "  ", "    ", "\t\t", ");\n//", "*/\n/", "};\n\n/"],
  ["'s", "'S", "'ſ", "'t", "'RE", "'ve", "'M", "'ll", "'LL", "'d", "'", "’s", "don't", "I'LL"],
  ["a", "B", "Word", "lower", "UPPER", "camelCase", "snake_case", "naïve", "Straße", "ǅ", "ʰ", "ª"],
  ["Ð", "Ñ", "Ø", "Û", "þ", "ÿ", "\u0081", "\u009F"],
  ["0", "12", "345", "6789", "3.14", "1,000", "½", "٣", "Ⅷ", "一"],
  [".", ",", "!?", "/", "//", "=>", "{}", "[]", "()", "<|endoftext|>", "<|im_start|>", "```", "…"],
  ["漢字", "かな", "カナ", "한국어", "हिन्दी", "العربية", "עברית", "ไทย", "Ελληνικά", "Русский"],
  ["😀", "👩‍👩‍👧", "🇩🇪", "👍🏽", "e\u0301", "\u0301", "𐐀", "𐐨", "𝒳", "\uD800", "\uDC00", "\uFFFD"],
  ["\u{1ACF}", "\uA7CE", "\u{10940}'s", "1\u{11DE0}23", "\u{323B0}'s"],
  ['{"a":1}', "data:image/png;base64,iVBORw0KGgo", "https://example.org/?q=1", "C:\\dir"],
].flat();

const hostileUnits = ["a", "A", "aA", " ", " \n", "\n", "[", "]]", "😀", "漢", "\u0301", "'s", "0"];

/** Loading one takes as long as many counts. */
const references = new Map<EncodingName, Tiktoken>();

const textOfPieces = fc
  .array(fc.tuple(fc.constantFrom(...pieces), fc.constantFrom(1, 1, 1, 2, 3, 40)), {
    maxLength: 24,
  })
  .map((list) => list.map(([piece, times]) => piece.repeat(times)).join(""));

describe("textCounterOf", () => {
  afterAll(() => {
    for (const reference of references.values()) reference.free();
  });
  it.each(encodings)("count any text as tiktoken does, in %s", (encoding) => {
    const { reference, count } = setUp(encoding);
    const texts = fc.oneof(
      { weight: 4, arbitrary: textOfPieces },
      { weight: 2, arbitrary: arbitraryText({ maxLength: 600 }) },
      { weight: 1, arbitrary: fc.string({ unit: "binary", maxLength: 40 }) },
    );
    fc.assert(
      fc.property(texts, (text) => {
        const { length } = reference.encode_ordinary(text);
        expect(count(text)).toBe(length);
      }),
      { numRuns: lawRuns(1000) },
    );
  });

  it.each(encodings)("read letters, marks and numbers as tiktoken does, in %s", (encoding) => {
    const { reference, count } = setUp(encoding);
    const texts = newerThanTiktoken().flatMap((one) => [`${one}'s`, `1${one}23`]);

    expect(texts.length).toBeGreaterThan(9000);
    const misread = texts.filter((text) => {
      const { length } = reference.encode_ordinary(text);
      return count(text) !== length;
    });
    expect(misread).toEqual([]);
  });

  it.each(encodings)(
    "count hostile runs of 2,000 characters as tiktoken does, in %s",
    (encoding) => {
      const { reference, count } = setUp(encoding);
      const texts = hostileUnits.map((unit) => `So: ${unit.repeat(2000 / unit.length)} end`);
      const lengths = texts.map((text) => reference.encode_ordinary(text).length);

      expect(texts.map((text) => count(text))).toEqual(lengths);
    },
  );

  it.each(encodings)("take a long s for an s after an apostrophe, in %s", (encoding) => {
    const { reference, count } = setUp(encoding);
    const text = "'ſ'ſ'vesnake_case";
    const { length } = reference.encode_ordinary(text);

    expect(count(text)).toBe(length);
  });

  it("count a quarter of a megabyte of one letter", () => {
    const { count } = setUp("o200k_base");

    expect(count("a".repeat(250_000))).toBe(31_250);
  });
});

describe("countText", () => {
  const count = textCounterOf("o200k_base", readEncoder);

  it.each([
    [" ", 1954],
    ["\n", 15_625],
    ["[", 125_000],
    ["😀", 62_500],
    ["漢", 83_333],
  ])("counts a quarter of a megabyte of %j", (unit, tokens) => {
    expect(count(unit.repeat(250_000 / Buffer.byteLength(unit)))).toBe(tokens);
  });

  it("counts a megabyte of base64 as the sum of its lines, which no token crosses", () => {
    const line = Buffer.from(Array.from({ length: 57 }, (_item, index) => (index * 89) % 256));
    const text = `${line.toString("base64")}\n`.repeat(13_000);

    expect(text.length).toBeGreaterThan(1_000_000);
    expect(count(text)).toBe(13_000 * count(text.slice(0, 77)));
  });

  it("counts one word of a million characters", () => {
    expect(count("漢".repeat(1_000_000))).toBe(1_000_000);
  });

  it("reads the text of special tokens as data", () => {
    expect(count("<|endoftext|>")).toBe(7);
  });

  it("counts nothing as nothing", () => {
    expect(count("")).toBe(0);
  });
});

function setUp(encoding: EncodingName): {
  readonly reference: Tiktoken;
  readonly count: CountText;
} {
  const reference = references.get(encoding) ?? get_encoding(encoding);
  references.set(encoding, reference);
  return { reference, count: textCounterOf(encoding, readEncoder) };
}

/** What Unicode 17 has and tiktoken's Unicode 16 has not. */
function newerThanTiktoken(): readonly string[] {
  const newer = new RegExp(`[${LATER_THAN_UNICODE_16}]`, "v");
  return Array.from({ length: 0x3_4000 }, (_, codePoint) => codePoint)
    .filter((codePoint) => codePoint < 0xd800 || codePoint > 0xdfff)
    .map((codePoint) => String.fromCodePoint(codePoint))
    .filter((one) => newer.test(one));
}
