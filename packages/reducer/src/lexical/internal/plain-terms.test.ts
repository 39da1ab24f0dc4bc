import { lawRuns } from "@agent-history/testkit";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { plainTermsBy } from "./plain-terms.ts";
import { plainText, textWords } from "./text-words.ts";

/** Has no term for what begins with an x. */
const termOf = (word: string): string => (word.startsWith("x") ? "" : word.slice(0, 5));

const words = fc.stringMatching(/^[a-e0-3xX]{1,9}$/);
const marks = fc.constantFrom(" ", "\n", "'", "`", "n't ", "'ll ", "'s", "-", "_", "Z", "~");
const texts = fc.array(fc.oneof(words, marks), { maxLength: 40 }).map((parts) => parts.join(""));

/** Words that the table has the same hash for. */
function wordsOfOneHash(length: number): readonly string[] {
  const longer = (shorter: readonly string[]): readonly string[] =>
    shorter.flatMap((word) => [`${word}an`, `${word}c0`]);
  return Array.from({ length }).reduce<readonly string[]>(longer, [""]);
}

describe("plainTermsBy", () => {
  it("gives the terms that the words of the text have, whatever was read before", () => {
    const used = plainTermsBy(termOf);
    fc.assert(
      fc.property(fc.oneof(texts, fc.string({ unit: "binary-ascii" })), (text) => {
        const expected = textWords(text)
          .map(termOf)
          .filter((term) => term !== "");
        const plain = plainText(text) ?? "";
        expect(used(plain)).toEqual(expected);
        expect(plainTermsBy(termOf)(plain)).toEqual(expected);
      }),
      { numRuns: lawRuns(500) },
    );
  });

  it("knows a thousand words of one hash apart, and looks at few of them for each", () => {
    const all = wordsOfOneHash(10);
    const asked: string[] = [];
    const terms = plainTermsBy((word) => {
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
    const terms = plainTermsBy((word) => {
      asked += 1;
      return word;
    });
    terms(all.join(" "));
    expect(terms(all.join(",")).join(" ")).toBe(all.join(" "));
    expect(asked).toBe(all.length);
  });

  it("forgets words beyond a hundred thousand, and gives the same terms", () => {
    const all = Array.from({ length: 100_500 }, (_, index) => `w${index}`);
    const terms = plainTermsBy((word) => word);
    expect(terms(all.join(" ")).join(" ")).toBe(all.join(" "));
    expect(terms("w1 w100499")).toEqual(["w1", "w100499"]);
  });

  it("takes a long word by its first 64 characters", () => {
    const terms = plainTermsBy((word) => word);
    const long = "a".repeat(70);
    expect(terms(`${long} ${long.slice(3)}b`)).toEqual([long.slice(0, 64), long.slice(0, 64)]);
  });
});
