import { isHistoryError } from "@agent-history/core";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { arbitraryText } from "./arbitrary-text.ts";
import { lawRuns } from "./law-runs.ts";

describe("arbitraryText", () => {
  const texts = fc.sample(arbitraryText(), { numRuns: 5000, seed: 1 });

  it("keeps to a length, and cuts no pair of surrogates in two", () => {
    const limits = fc.integer({ min: 0, max: 60 });
    const limited = limits.chain((maxLength) =>
      fc.tuple(fc.constant(maxLength), arbitraryText({ maxLength, loneSurrogates: false })),
    );
    fc.assert(
      fc.property(limited, ([maxLength, text]) => {
        expect(text.length).toBeLessThanOrEqual(maxLength);
        expect(text).not.toMatch(/\p{Surrogate}/u);
      }),
      { numRuns: lawRuns(1000) },
    );
  });

  it("gives lone surrogates unless told not to", () => {
    const broken = texts.filter((text) => /\p{Surrogate}/u.test(text));

    expect(new Set(broken).size).toBeGreaterThan(50);
  });

  it.each([
    ["the empty text", /^$/],
    ["words", /^the worker\b|\bworker the\b/],
    ["long words", /\p{L}{30}/u],
    ["CJK", /日本語/],
    ["emoji joined by zero-width joiners", /\u{1F469}\u200D/u],
    ["right-to-left text", /\p{Script=Hebrew}/u],
    ["JSON", /^\{"a":\[/],
    ["malformed JSON", /^\{"a":$/],
    ["Markdown tags", /<details>/],
    ["Markdown fences", /```/],
    ["control characters", /[^\P{Control}\s]/u],
    ["special tokens", /<\|endoftext\|>/],
    ["base64", /(QUJD){50}/],
    ["runs of a letter", /^a{1000}/],
    ["runs of spaces", /^ {1000}/],
    ["runs of newlines", /^\n{1000}/],
    ["runs of brackets", /^\[{1000}/],
    ["runs of unclosed tags", /^(<details>){50}/],
  ])("gives %s", (_, pattern) => {
    expect(texts.some((text) => pattern.test(text))).toBe(true);
  });

  it("gives NUL", () => {
    expect(texts.some((text) => text.includes("\0"))).toBe(true);
  });

  it("shrinks to the empty text", () => {
    for (let seed = 0; seed < 100; seed++) {
      const { counterexample } = fc.check(
        fc.property(arbitraryText(), () => false),
        { seed },
      );
      expect(counterexample).toEqual([""]);
    }
  });

  it("shrinks a run to what matters", () => {
    const isShort = fc.property(arbitraryText(), (text) => text.length < 100);
    const { counterexample } = fc.check(isShort, { seed: 1 });

    expect(counterexample?.[0]).toHaveLength(100);
  });

  it("refuses a length that is no count", () => {
    for (const maxLength of [-1, 0.5, Number.NaN]) {
      let error: unknown;
      try {
        arbitraryText({ maxLength });
      } catch (thrown) {
        error = thrown;
      }
      expect(isHistoryError(error, "INVALID_OPTION")).toBe(true);
    }
  });

  it("takes 0 and Infinity at their word", () => {
    expect(fc.sample(arbitraryText({ maxLength: 0 }), 100).join("")).toBe("");
    expect(fc.sample(arbitraryText({ maxLength: Infinity }), 100)).toHaveLength(100);
  });
});
