import { describe, expect, it } from "vitest";

import { textWords } from "./text-words.ts";

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
});
