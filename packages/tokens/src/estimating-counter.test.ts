import { isHistoryError, userMessage } from "@agent-history/core";
import { arbitraryText, lawRuns } from "@agent-history/testkit";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { estimatingCounter, type EstimatingCounterOptions } from "./estimating-counter.ts";
import { tiktokenCounter } from "./tiktoken-counter.ts";

const exact = tiktokenCounter({ encoding: "o200k_base" });
const image = { type: "image", source: { kind: "id", id: "f1" } } as const;

describe("estimatingCounter", () => {
  it.each([
    ["claude", 1.9, 4784, 804],
    ["claude-before-4.7", 1.3, 1568, 589],
    ["gemini", 1.6, 1120, 0],
    ["other", 1.6, 4784, 0],
  ] as const)(
    "counts %s by its factor, its images and its tools",
    (family, factor, imageTokens, tools) => {
      const counter = estimatingCounter({ family, counter: exact });
      const scaled = (text: string): number => Math.ceil(exact.countText(text) * factor);
      const tool = { name: "search", description: "Searches." };

      expect(counter.isEstimate).toBe(true);
      expect(counter.countText("Water boils at 100 °C.")).toBe(scaled("Water boils at 100 °C."));
      expect(counter.countEntry(userMessage({ content: [image] }))).toBe(
        3 + scaled("user") + imageTokens,
      );
      expect(counter.countRequest()).toBe(3);
      expect(counter.countRequest([tool])).toBe(3 + tools + scaled(JSON.stringify(tool)));
    },
  );

  // Google, "Counting tokens" (ai.google.dev/api/tokens): its first example, with what its API answered.
  it("is not below Gemini's published example, 11 tokens", () => {
    const counter = estimatingCounter({ family: "gemini", counter: exact });
    const fox = userMessage({ content: "The quick brown fox jumps over the lazy dog." });

    expect(counter.countRequest() + counter.countEntry(fox)).toBeGreaterThanOrEqual(11);
  });

  it("never counts below the exact counter times the factor", () => {
    const counter = estimatingCounter({ family: "gemini", counter: exact, factor: 1.07 });
    fc.assert(
      fc.property(arbitraryText({ maxLength: 200 }), (text) => {
        const tokens = counter.countText(text);
        expect(Number.isInteger(tokens)).toBe(true);
        expect(tokens).toBeGreaterThanOrEqual(exact.countText(text) * 1.07);
        expect(tokens).toBeLessThan(exact.countText(text) * 1.07 + 1);
      }),
      { numRuns: lawRuns(1000) },
    );
  });

  it("takes rules and a factor of one's own, and bears them in its id", () => {
    const own = estimatingCounter({
      family: "claude",
      counter: exact,
      factor: 1.5,
      imageTokens: () => 7,
      fileTokens: () => 11,
    });
    const file = { ...image, type: "file" } as const;

    expect(own.countEntry(userMessage({ content: [image, file] }))).toBe(3 + 2 + 7 + 11);
    // Rules of the caller show in the id, since they change counts.
    expect(own.id).toMatch(/^claude:1\.5:openai:o200k_base\+\w+$/);
    expect(estimatingCounter({ family: "claude", counter: exact }).id).not.toBe(own.id);
  });

  it.each([
    { family: "llama", counter: exact },
    { family: "toString", counter: exact },
    { family: "claude" },
    { family: "claude", counter: {} },
    { family: "claude", counter: exact, factor: 0 },
    { family: "claude", counter: exact, factor: -1 },
    { family: "claude", counter: exact, factor: NaN },
    { family: "claude", counter: exact, factor: Infinity },
  ])("refuses %j at construction", (options) => {
    let error: unknown;
    try {
      estimatingCounter(options as EstimatingCounterOptions);
    } catch (thrown) {
      error = thrown;
    }
    expect(isHistoryError(error, "INVALID_OPTION")).toBe(true);
  });
});
