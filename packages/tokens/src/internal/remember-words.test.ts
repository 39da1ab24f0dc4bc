import { lawRuns } from "@agent-history/testkit";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { rememberWords } from "./remember-words.ts";

describe("rememberWords", () => {
  it("says of each word what was counted, wherever it stands, with zeros at its ends too", () => {
    const words = fc.array(fc.uint8Array({ minLength: 1, maxLength: 14, max: 2 }), {
      minLength: 1,
      maxLength: 200,
    });
    // Of a word of twelve bytes at most, no more than that.
    const countOf = (word: Uint8Array): number =>
      1 + (word.reduce((sum, byte) => sum * 3 + byte, 0) % word.length);
    fc.assert(
      fc.property(words, (list) => {
        const count = rememberWords((bytes, start, end) => countOf(bytes.subarray(start, end)));
        const bytes = Uint8Array.from(list.flatMap((word) => [...word]));
        for (const word of [...list, ...list]) {
          const start = bytes.findIndex((_, at) =>
            word.every((byte, nth) => bytes[at + nth] === byte),
          );
          expect(count(bytes, start, start + word.length)).toBe(countOf(word));
        }
      }),
      { numRuns: lawRuns(200) },
    );
  });

  it("counts a short word once", () => {
    let counted = 0;
    const count = rememberWords((_, start, end) => {
      counted += 1;
      return end - start;
    });
    const bytes = new TextEncoder().encode("word word, word; and much longer words");
    for (let turn = 0; turn < 3; turn += 1) {
      for (const start of [0, 5, 11]) expect(count(bytes, start, start + 4)).toBe(4);
    }
    expect(counted).toBe(1);
  });

  it("tells words apart that share a place and begin alike", () => {
    const words = Array.from(
      { length: 40_000 },
      (_, nth) => `the word${nth.toString(36).padStart(4, "0")}`,
    );
    const bytes = new TextEncoder().encode(words.join(""));
    const count = rememberWords((_, start) => 1 + ((start / 12) % 7));

    const wrong = words.filter((_, nth) => count(bytes, nth * 12, nth * 12 + 12) !== 1 + (nth % 7));
    expect(wrong).toEqual([]);
  });
});
