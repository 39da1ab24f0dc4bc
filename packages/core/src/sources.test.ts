import { describe, expect, it } from "vitest";

import { citedSources } from "./sources.ts";

describe("citedSources", () => {
  for (const [text, numbers] of [
    ["[source3]", [3]],
    ["[Source3, source5]", [3, 5]],
    ["[source: 3, 5]", [3, 5]],
    ["[source 12] and [source0][source12]", [12, 0]],
    ["source3 (3) [3] [sources] [source]", []],
    ["[source3", []],
    ["", []],
  ] as const) {
    it(`reads ${JSON.stringify(numbers)} from ${JSON.stringify(text)}`, () => {
      expect(citedSources(text)).toEqual(numbers);
    });
  }

  it("reads a hostile run of openings to its end", () => {
    expect(citedSources("[source1, ".repeat(100_000))).toEqual([]);
  });
});
