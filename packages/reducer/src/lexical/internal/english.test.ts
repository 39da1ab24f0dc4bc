import { describe, expect, it } from "vitest";

import { ENGLISH_STOP_WORDS, englishStem, IRREGULAR_FORMS } from "./english.ts";
import { textWords } from "./text-words.ts";

describe("englishStem", () => {
  it("gives regular forms one stem", () => {
    expect(new Set(["paint", "paints", "painted", "painting"].map(englishStem)).size).toBe(1);
  });

  it("gives every irregular form the stem of its base", () => {
    for (const [form, base] of IRREGULAR_FORMS) expect(englishStem(form)).toBe(englishStem(base));
    expect(englishStem("bought")).toBe(englishStem("buys"));
  });
});

describe("IRREGULAR_FORMS", () => {
  it("holds words as they are split, no base among the forms, and no stop word", () => {
    const bases = new Set(IRREGULAR_FORMS.values());
    const stopWords = new Set(ENGLISH_STOP_WORDS);
    for (const [form, base] of IRREGULAR_FORMS) {
      expect(textWords(`${form} ${base}`)).toEqual([form, base]);
      expect([form, base].filter((word) => stopWords.has(word))).toEqual([]);
      expect(bases).not.toContain(form);
    }
  });
});

describe("ENGLISH_STOP_WORDS", () => {
  it("holds each word once, as it is split", () => {
    for (const word of ENGLISH_STOP_WORDS) expect(textWords(word)).toEqual([word]);
    expect(new Set(ENGLISH_STOP_WORDS).size).toBe(ENGLISH_STOP_WORDS.length);
  });
});
