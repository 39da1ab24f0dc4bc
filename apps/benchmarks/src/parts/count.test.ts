import { describe, expect, it } from "vitest";

import { countSamples } from "../messages/count-samples.ts";
import { brokenCounts, countAll } from "./count.ts";
import type { CountFigures } from "./count.ts";

const OWN = "tiktokenCounter, o200kBaseCounter";

describe("countAll", () => {
  it("measures each counter and the library on each kind of text, and all agree", async () => {
    const figures = await countAll({ repeats: 2, characters: 8000 });

    expect(new Set(figures.map(({ kind }) => kind)).size).toBe(5);
    expect(new Set(figures.map(({ counter }) => counter)).size).toBe(4);
    expect(figures.every(({ tokens, disagreements }) => tokens > 0 && disagreements === 0)).toBe(
      true,
    );
  });
});

describe("countSamples", () => {
  it("gives about as many characters of each kind, in texts of at most 4,000", () => {
    for (const [, texts] of countSamples(40_000)) {
      const characters = texts.reduce((sum, { length }) => sum + length, 0);
      expect(texts.every(({ length }) => length > 0 && length <= 4000)).toBe(true);
      expect(characters).toBeGreaterThan(3000);
      expect(characters).toBeLessThanOrEqual(40_000);
    }
  });
});

describe("brokenCounts", () => {
  it("finds a counter that differs from the library, and one that is not much faster", () => {
    expect(brokenCounts([row({}), row({ kind: "Chinese", times: 0.5 })])).toEqual([]);
    expect(brokenCounts([row({ times: 1.9 }), row({ disagreements: 3 })])).toEqual([
      `${OWN} is 1.9 times as fast as tiktoken, English.`,
      `${OWN} (o200k_base) differs from tiktoken on 3 texts, English.`,
    ]);
  });
});

function timing(minMs: number): CountFigures["million"] {
  return { minMs, medianMs: minMs, meanMs: minMs, load: 0, isUnsteady: false };
}

function row(more: Partial<CountFigures>): CountFigures {
  const what = { kind: "English", counter: OWN, encoding: "o200k_base" } as const;
  const size = { texts: 10, tokens: 1000 };
  return { ...what, ...size, million: timing(50), times: 10, disagreements: 0, ...more };
}
