import { assistantMessage, userMessage } from "@agent-history/core";
import type { CompressionStrategy, HistoryEntry, TokenCounter } from "@agent-history/core";
import { describe, expect, it } from "vitest";

import { compressHistory } from "./compress-history.ts";
import { extractiveSummary } from "./extractive-summary.ts";

const counter: TokenCounter = {
  id: "words",
  countText: (text) => text.split(/\s+/).length,
  countEntry: (entry) => JSON.stringify(entry.content).split(/\s+/).length,
  countRequest: () => 0,
};

const history: readonly HistoryEntry[] = [
  userMessage({ id: "u1", content: "The order A1772. ".repeat(500) }),
  assistantMessage({ id: "a1", content: "Fine. ".repeat(500) }),
  userMessage({ id: "u2", content: "next" }),
];

const LIES: readonly (readonly [string, () => never | number])[] = [
  ["a text", () => JSON.parse('"7"')],
  ["NaN", () => Number.NaN],
  ["a negative number", () => -5],
  ["a fraction", () => 0.5],
  ["Infinity", () => Infinity],
  [
    "an error",
    () => {
      throw new Error("The user's secret.");
    },
  ],
];

describe("a counter that gives no count", () => {
  it.each(LIES)(
    "fails compression as COUNTER_FAILED where it gives %s for an entry",
    async (_, lie) => {
      const result = await compressHistory(history, {
        counter: { ...counter, countEntry: lie },
        tailTokens: 0,
      });
      expect(result).toMatchObject({
        outcome: "failed",
        error: { code: "COUNTER_FAILED", details: { counterId: "words", entryId: "u1" } },
      });
    },
  );

  it.each(LIES)(
    "fails compression as COUNTER_FAILED where it gives %s for a text",
    async (_, lie) => {
      let asked = 0;
      for (const model of [
        undefined,
        async () => {
          asked += 1;
          return "They spoke of the order A1772.";
        },
      ]) {
        const result = await compressHistory(history, {
          counter: { ...counter, countText: lie },
          tailTokens: 0,
          ...(model && { model, fallback: true }),
        });
        expect(result).toMatchObject({ outcome: "failed", error: { code: "COUNTER_FAILED" } });
      }
      expect(asked).toBeLessThan(2);
    },
  );

  it.each(LIES)("is refused by extractiveSummary where it gives %s", (_, lie) => {
    const refusal = expect.objectContaining({ code: "COUNTER_FAILED" });
    const lying = { countText: lie };
    expect(() => extractiveSummary(history, { maxTokens: 50, counter: lying })).toThrowError(
      refusal,
    );
  });
});

const writing =
  (text: string): CompressionStrategy =>
  ({ items }) => ({ spans: [{ covers: items, text }] });

describe("an answer of a hundred megabytes", () => {
  it.each(["The words of it. ", "{ ", " "])(
    "of %j is refused before it is looked at",
    async (unit) => {
      const giant = unit.repeat(1e8 / unit.length);
      const counted: number[] = [];
      const watched: TokenCounter = {
        ...counter,
        countText: (text) => {
          counted.push(text.length);
          return counter.countText(text);
        },
      };
      const options = { counter: watched, tailTokens: 0, maxAttempts: 1 };
      for (const writer of [
        { model: () => Promise.resolve(giant) },
        { strategy: writing(giant) },
      ]) {
        const result = await compressHistory(history, { ...options, ...writer });
        expect(result).toMatchObject({ outcome: "failed", error: { code: "MODEL_FAILED" } });
      }
      expect(Math.max(...counted)).toBeLessThan(100_000);
    },
  );
});
