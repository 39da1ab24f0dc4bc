import { describe, expect, it } from "vitest";

import { brokenTokenized, tokenizedAll, tokenizedTable } from "./tokenized.ts";

describe("tokenizedAll", () => {
  it("counts what a stateless fit of long results tokenizes, which is at most four windows", () => {
    const figures = tokenizedAll({ messages: 60, windows: [2000, 8000, 32_000] });

    expect(figures.every(({ most, mean }) => most > 0.5 && mean <= most)).toBe(true);
    expect(brokenTokenized(figures)).toEqual([]);
    expect(tokenizedTable(figures).rows).toHaveLength(3);
  });
});

describe("brokenTokenized", () => {
  it("tells where a fit tokenized more", () => {
    const one = { source: "chats", windowTokens: 8000, fits: 2, mean: 3, most: 4.2 };

    expect(brokenTokenized([{ ...one, most: 4 }, one])).toEqual([
      "A stateless fit of chats tokenizes 4.20 windows of 8,000 tokens, expected at most 4.",
    ]);
  });
});
