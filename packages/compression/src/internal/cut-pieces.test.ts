import { userMessage } from "@agent-history/core";
import { arbitraryText, lawRuns } from "@agent-history/testkit";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { counter } from "../../test-support/quarter-counter.ts";
import { cutPieces } from "./cut-pieces.ts";

type Line = { readonly n: number; readonly from: string; readonly text: string };

describe("cutPieces", () => {
  it("leaves nothing out, keeps the order, and fills no piece over its budget", () => {
    const texts = fc.array(arbitraryText({ maxLength: 5000 }), { maxLength: 8 });
    fc.assert(
      fc.property(texts, fc.integer({ min: 60, max: 2000 }), (some, budget) => {
        const entries = some.map((content) => userMessage({ content }));
        const pieces = cutPieces(entries, budget, counter);
        for (const piece of pieces) {
          expect(
            piece.reduce((sum, line) => sum + counter.countText(line) + 1, 0),
          ).toBeLessThanOrEqual(budget);
        }
        const read = pieces.flat().map((line): Line => JSON.parse(line));
        for (const [index, text] of some.entries()) {
          const parts = read.filter((line) => line.n === index + 1);
          if (text === "") continue;
          expect(parts.map((line) => line.text).join("")).toBe(text);
          expect(
            parts.every(({ from }) => from === (parts.length > 1 ? "user, in parts" : "user")),
          ).toBe(true);
        }
        expect(read.map(({ n }) => n)).toEqual(read.map(({ n }) => n).toSorted((a, b) => a - b));
      }),
      { numRuns: lawRuns(100) },
    );
  });

  it.each(["a", " ", "[", "\u200B", "漢", "😀", "<"])(
    "counts a long text of %j a bounded number of times",
    (unit) => {
      let counted = 0;
      const counting = {
        countText: (text: string): number => {
          counted += text.length;
          return counter.countText(text);
        },
      };
      const text = unit.repeat(200_000 / unit.length);
      cutPieces([userMessage({ content: text })], 5000, counting);
      // Escaped, a character is six; each halving counts it again.
      expect(counted).toBeLessThan(10_000_000);
    },
  );
});
