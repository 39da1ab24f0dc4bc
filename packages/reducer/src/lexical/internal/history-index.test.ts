import type { HistoryEntry } from "@agent-history/core";
import { lawRuns } from "@agent-history/testkit";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { historyIndexes, matchScores, spreadScores, STRETCH_LENGTH } from "./history-index.ts";
import type { HistoryIndex } from "./history-index.ts";

/** Too short to be the beginning of another. */
const words = ["ant", "bee", "cat", "dog", "eel", "fox"];

describe("matchScores", () => {
  it("is BM25 over the mean of both rarities, as written in the textbook", () => {
    const texts = fc.array(fc.array(fc.constantFrom(...words), { maxLength: 8 }), {
      minLength: 1,
      maxLength: STRETCH_LENGTH * 3,
    });
    fc.assert(
      fc.property(texts, fc.uniqueArray(fc.constantFrom(...words)), (entries, question) => {
        const scores = matchScores(indexOf(entries), new Set(question));
        expect(scores).toEqual(bm25(entries, question).map((score) => expect.closeTo(score, 9)));
      }),
      { numRuns: lawRuns(1000) },
    );
  });

  it("gives a term said once, in an entry of common length, about 1", () => {
    const scores = matchScores(indexOf([["ant"], ["bee"], ["cat"], ["dog"]]), new Set(["bee"]));
    expect(scores).toEqual([0, expect.closeTo(1, 9), 0, 0]);
  });

  it("lets a term of four letters find those that begin with it, for less", () => {
    const index = indexOf([["paint"], ["painting"], ["ant"], ["antler"]]);
    const [paint = 0, painting = 0] = matchScores(index, new Set(["paint"]));
    expect(painting).toBeGreaterThan(0.1);
    expect(painting).toBeLessThan(paint / 2);
    expect(matchScores(index, new Set(["ant"]))[3]).toBe(0);
  });
});

function indexOf(texts: readonly (readonly string[])[]): HistoryIndex {
  const read = new Map(
    texts.map((terms, nth): [HistoryEntry, readonly string[]] => [
      { id: `e${nth}`, type: "user_message", createdAtMs: 0, content: "" },
      terms,
    ]),
  );
  const indexes = historyIndexes((entry) => ({
    terms: read.get(entry) ?? [],
    topics: new Set(),
    speaker: [],
  }));
  return indexes([...read.keys()]);
}

/** As Robertson and Zaragoza give it, with k1 = 1.2 and b = 0.85; an entry is as long as it has different terms, as the library counts. */
function bm25(
  entries: readonly (readonly string[])[],
  question: readonly string[],
): readonly number[] {
  const lengths = entries.map((terms) => new Set(terms).size || 1);
  const average = lengths.reduce((sum, length) => sum + length, 0) / entries.length;
  const stretches = Array.from(
    { length: Math.ceil(entries.length / STRETCH_LENGTH) },
    (_, stretch) => entries.slice(stretch * STRETCH_LENGTH, (stretch + 1) * STRETCH_LENGTH).flat(),
  );
  return entries.map((terms, position) =>
    question
      .map((word) => {
        const frequency = terms.filter((term) => term === word).length;
        const weight = (rarity(word, entries) + rarity(word, stretches)) / 2;
        const length = (lengths[position] ?? 0) / average;
        return (weight * frequency * 2.2) / (frequency + 1.2 * (0.15 + 0.85 * length));
      })
      .reduce((sum, score) => sum + score, 0),
  );
}

function rarity(word: string, documents: readonly (readonly string[])[]): number {
  const having = documents.filter((terms) => terms.includes(word)).length;
  const idf = (count: number): number =>
    Math.log(1 + (documents.length - count + 0.5) / (count + 0.5));
  return idf(having) / idf(1);
}

describe("spreadScores", () => {
  it("adds to each score those of all others, times the share to the power of their distance", () => {
    const scores = fc.array(fc.double({ min: 0, max: 10, noNaN: true }), { maxLength: 40 });
    const shares = fc.double({ min: 0, max: 0.95, noNaN: true });
    fc.assert(
      fc.property(scores, shares, (given, share) => {
        const expected = given.map((_, index) =>
          given.reduce((sum, score, other) => sum + score * share ** Math.abs(index - other), 0),
        );
        expect(spreadScores(given, share)).toEqual(
          expected.map((score) => expect.closeTo(score, 8)),
        );
      }),
      { numRuns: lawRuns(1000) },
    );
  });
});
