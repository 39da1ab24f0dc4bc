import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { terms } from "./terms.ts";

describe("terms", () => {
  it("gives stems of the words that tell something", () => {
    expect(terms("How does a worker's filter decide what it sees?")).toEqual([
      "worker",
      "filter",
      "decid",
      "see",
    ]);
  });

  it("takes identifiers apart and keeps them whole", () => {
    expect(terms("workerHistoryFilter")).toEqual([
      "worker",
      "histori",
      "filter",
      "workerhistoryfilt",
    ]);
    expect(terms("HTMLParser2 snake_case kebab-case")).toEqual([
      "html",
      "parser2",
      "htmlparser2",
      "snake",
      "case",
      "kebab",
      "case",
    ]);
  });

  it("leaves out contractions and possessives, straight and curly", () => {
    expect(terms("don't won’t Anna's Anna’s")).toEqual(["anna", "anna"]);
  });

  it("gives pairs of characters where a script puts no space between words", () => {
    expect(terms("東京都")).toEqual(["東京", "京都"]);
    expect(terms("猫")).toEqual(["猫"]);
  });

  it("takes what no one would search for as no word", () => {
    expect(terms("a".repeat(1_000_000))).toEqual([]);
  });

  it("gives the same terms for each order of calls", () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: "grapheme" })), (texts) => {
        const once = texts.map(terms);
        expect(texts.toReversed().map(terms).toReversed()).toEqual(once);
        expect(once.flat()).toEqual(terms(texts.join(" ")));
      }),
      { numRuns: 1_000 },
    );
  });
});
