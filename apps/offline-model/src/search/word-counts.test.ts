import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { readWordCounts, writeWordCounts } from "./word-counts.ts";

describe("word counts", () => {
  it("are read as they were written, whatever stands around the line", () => {
    const count = fc.oneof(
      fc.record({ own: fc.nat(), others: fc.constant(0) }),
      fc.record({ own: fc.constant(0), others: fc.nat() }),
    );
    const counts = fc.uniqueArray(fc.tuple(fc.stringMatching(/^[\p{L}\p{N}]+$/u), count), {
      selector: ([term]) => term,
      minLength: 1,
    });
    fc.assert(
      fc.property(fc.integer({ min: 1 }), counts, (passages, words) => {
        const written = { passages, counts: new Map(words) };
        const text = `Nothing found.\n\n${writeWordCounts(written)}\nmore`;

        expect(readWordCounts(["", text])).toEqual(written);
      }),
    );
  });

  it("are nothing where no text has them", () => {
    expect(readWordCounts([])).toBeUndefined();
    expect(readWordCounts(["Of 12 passages, nothing."])).toBeUndefined();
  });
});
