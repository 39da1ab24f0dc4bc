import { arbitraryText, lawRuns } from "@agent-history/testkit";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { createVocabulary, normalTermsBy, normalText, textTerms, textWords } from "./text-terms.ts";

describe("textWords", () => {
  const known = {
    "Ann's cat, Tom!": ["ann", "cat", "tom"],
    "She’ll see; I'd wait, we've time": ["she", "see", "i", "wait", "we", "time"],
    "don't can't isn`t": ["dont", "cant", "isnt"],
    "l'homme O'Brien": ["l", "homme", "o", "brien"],
    "snake_case src/read-entry.ts v1.2": ["snake", "case", "src", "read", "entry", "ts", "v1", "2"],
    "ＡＢＣ ﬁn": ["abc", "fin"],
    "Crème brûlée": ["crème", "brûlée"],
    "हिन्दी में": ["हिन्दी", "में"],
    "黒い猫 cat": ["黒い", "い猫", "cat"],
    猫: ["猫"],
    コーヒー: ["コー", "ーヒ", "ヒー"],
    "👍 \ud83d": [],
    "": [],
  };

  for (const [text, words] of Object.entries(known)) {
    it(`splits ${JSON.stringify(text)}`, () => {
      expect(textWords(text)).toEqual(words);
    });
  }

  it("keeps 64 characters of a longer word", () => {
    expect(textWords("ab".repeat(50))).toEqual(["ab".repeat(32)]);
  });

  it("splits ASCII as it does beside another script", () => {
    const characters = ["a", "Z", "0", "9", "_", "-", "'", "`", ".", " ", "\n"];
    const contractions = ["n't", "'ll", "'s", "Don't", "isn`t", "it's"];
    const pieces = fc.constantFrom(...characters, ...contractions);
    const texts = fc.oneof(
      fc.array(pieces, { maxLength: 30 }).map((list) => list.join("")),
      fc.string({ unit: "binary-ascii" }),
    );
    fc.assert(
      fc.property(texts, (text) => {
        expect([...textWords(text), "猫"]).toEqual(textWords(`${text} 猫`));
      }),
      { numRuns: lawRuns(500) },
    );
  });
});

/** Has no term for what begins with an x. */
const termOf = (word: string): string => (word.startsWith("x") ? "" : word.slice(0, 5));

const words = fc.stringMatching(/^[a-e0-3xX]{1,9}$/);
const ascii = fc.constantFrom(" ", "\n", "'", "`", "n't ", "'ll ", "'s", "-", "_", "Z", "~");
const others = fc.constantFrom(
  ..."é ß É ﬁ İ Ω кот 猫 黒い コー हिन्दी 한국 ไทย ² ½ ٣ … — “ ” ’ · 。 • 👍 Ａ".split(" "),
  "\u00a0",
  "\u0301",
  "\u200d",
  "\u2028",
  "\u2060",
  "\ud83d",
  "n’t ",
  "’s ",
);
const longWords = fc.constantFrom("a".repeat(64), "é".repeat(64), `${"b".repeat(63)}猫`);
const texts = (...pieces: readonly fc.Arbitrary<string>[]): fc.Arbitrary<string> =>
  fc.array(fc.oneof(words, ascii, ...pieces), { maxLength: 40 }).map((parts) => parts.join(""));

/** Words that the table has the same hash for. */
function wordsOfOneHash(length: number): readonly string[] {
  const longer = (shorter: readonly string[]): readonly string[] =>
    shorter.flatMap((word) => [`${word}an`, `${word}c0`]);
  return Array.from({ length }).reduce<readonly string[]>(longer, [""]);
}

describe("normalTermsBy", () => {
  it("gives the terms that the words of the text have, whatever was read before", () => {
    const used = normalTermsBy(termOf);
    const any = fc.oneof(
      texts(),
      texts(others, longWords),
      fc.string({ unit: "binary-ascii" }),
      fc.string({ unit: "binary" }),
      arbitraryText(),
    );
    fc.assert(
      fc.property(any, (text) => {
        const expected = textWords(text)
          .map(termOf)
          .filter((term) => term !== "");
        const normal = normalText(text);
        expect(used(normal)).toEqual(expected);
        expect(normalTermsBy(termOf)(normal)).toEqual(expected);
      }),
      { numRuns: lawRuns(500) },
    );
  });

  it("gives the terms of words beside each character of 16 bits", () => {
    const used = normalTermsBy((word) => word);
    for (let from = 0; from < 0x1_00_00; from += 0x100) {
      const codes = Array.from({ length: 0x100 }, (_, index) => from + index);
      const text = normalText(codes.map((code) => `a${String.fromCharCode(code)}b `).join(""));
      expect(used(text).join(" ")).toBe(textWords(text).join(" "));
    }
  });

  it("asks for a word once that has letters beyond ASCII", () => {
    const asked: string[] = [];
    const terms = normalTermsBy((word) => {
      asked.push(word);
      return word;
    });
    expect(terms("été — café été… “café”")).toEqual(["été", "café", "été", "café"]);
    expect(asked).toEqual(["été", "café"]);
  });

  it("knows a thousand words of one hash apart, and looks at few of them for each", () => {
    const all = wordsOfOneHash(10);
    const asked: string[] = [];
    const terms = normalTermsBy((word) => {
      asked.push(word);
      return word;
    });
    expect(terms(all.join(" "))).toEqual(all);
    expect(terms(all.toReversed().join(" "))).toEqual(all.toReversed());
    // Those without a slot near their hash are asked for again.
    expect(asked.length).toBeGreaterThan(all.length);
  });

  it("asks for a word once, also after the table has grown", () => {
    const all = Array.from({ length: 5000 }, (_, index) => `word${index * 7919}`);
    let asked = 0;
    const terms = normalTermsBy((word) => {
      asked += 1;
      return word;
    });
    terms(all.join(" "));
    expect(terms(all.join(",")).join(" ")).toBe(all.join(" "));
    expect(asked).toBe(all.length);
  });

  it("forgets words beyond a hundred thousand, and gives the same terms", () => {
    const all = Array.from({ length: 100_500 }, (_, index) => `w${index}`);
    const terms = normalTermsBy((word) => word);
    expect(terms(all.join(" ")).join(" ")).toBe(all.join(" "));
    expect(terms("w1 w100499")).toEqual(["w1", "w100499"]);
  });

  it("takes a long word by its first 64 characters", () => {
    const terms = normalTermsBy((word) => word);
    const long = "a".repeat(70);
    expect(terms(`${long} ${long.slice(3)}b`)).toEqual([long.slice(0, 64), long.slice(0, 64)]);
  });
});

describe("createVocabulary", () => {
  it("asks for the stem of each word once, however often it comes, and for none of a stop word", () => {
    const asked: string[] = [];
    const vocabulary = createVocabulary(
      (word) => {
        asked.push(word);
        return word.replace(/s$/, "");
      },
      ["and"],
    );

    expect(textTerms("cats and dogs", vocabulary)).toEqual(["cat", "dog"]);
    expect(textTerms("dogs, cats, cats and cat", vocabulary)).toEqual(["dog", "cat", "cat", "cat"]);
    expect(asked).toEqual(["cats", "dogs", "cat"]);
  });
});
