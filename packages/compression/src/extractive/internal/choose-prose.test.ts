import { describe, expect, it } from "vitest";

import { callClause } from "./call-clause.ts";
import { chooseProse } from "./choose-prose.ts";
import type { Offer } from "./choose-prose.ts";

const offers = ["a b", "b c", "d", "a b c d e f"].map((text, place): Offer => {
  const words = new Set(text.split(" "));
  return { candidate: { place, speaker: "user", text, words }, tokens: text.length };
});

function chosen(maxTokens: number, known: readonly string[] = []): readonly string[] {
  const choice = { worth: () => 1, interest: () => 0, known: new Set(known) };
  return chooseProse(offers, maxTokens, choice).map(({ text }) => text);
}

describe("chooseProse", () => {
  it("takes what adds most for its tokens, and stays under its cap", () => {
    expect(chosen(0)).toEqual([]);
    expect(chosen(4)).toEqual(["d", "b c"]);
    expect(chosen(7)).toEqual(["d", "b c", "a b"]);
  });

  it("passes over what adds nothing to what was chosen before", () => {
    expect(chosen(100, ["a", "b", "c"])).toEqual(["d", "a b c d e f"]);
    expect(chosen(100, ["a", "b", "c", "d", "e", "f"])).toEqual([]);
  });
});

describe("callClause", () => {
  it("leaves out values of several lines and long ones, and quotes those of several words", () => {
    const text = JSON.stringify({ a: "x\ny", b: "two words", c: ["p", 1], d: "z".repeat(61) });

    expect(callClause({ name: "f", arguments: text })).toBe('called f with b "two words", c p, 1.');
    expect(callClause({ name: "f", arguments: "not JSON" })).toBe("called f.");
  });
});
