import { lawRuns } from "@agent-history/testkit";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { createVocabulary, textTerms, textWords } from "./text-terms.ts";

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
