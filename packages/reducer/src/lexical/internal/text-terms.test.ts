import { describe, expect, it } from "vitest";

import { createVocabulary, textTerms } from "./text-terms.ts";

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
