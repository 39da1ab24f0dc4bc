import { arbitraryText, lawRuns } from "@agent-history/testkit";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { functionCleaner } from "./function-cleaner.ts";
import { removeFromText } from "./remove-from-text.ts";
import type { TextCleaner } from "./text-cleaner.ts";

/** A text, and the same with some of its characters left out. */
const shortened = fc
  .tuple(
    arbitraryText({ maxLength: 60, loneSurrogates: false }),
    fc.infiniteStream(fc.integer({ min: 0, max: 3 })),
  )
  .map(([text, dice]): [string, string] => {
    let drops = false;
    const left = Array.from(text).filter(() => {
      if (dice.next().value === 0) drops = !drops;
      return !drops;
    });
    return [text, left.join("")];
  });

function returning(rest: string): TextCleaner {
  return functionCleaner({ name: "f", removeFromText: () => rest });
}

describe("functionCleaner", () => {
  it("gives what the function gives, whichever pieces it leaves out", async () => {
    await fc.assert(
      fc.asyncProperty(shortened, async ([text, rest]) => {
        const cleaned = await removeFromText(text, { cleaners: [returning(rest)] });

        expect(cleaned.text).toBe(rest);
        expect(cleaned.failures).toEqual([]);
      }),
      { numRuns: lawRuns(2000) },
    );
  });

  it("cuts no character in two", async () => {
    await fc.assert(
      fc.asyncProperty(shortened, async ([text, rest]) => {
        const whole = new Set([0]);
        let at = 0;
        for (const character of text) whole.add((at += character.length));

        const { cuts } = await removeFromText(text, { cleaners: [returning(rest)] });

        for (const { start, end } of cuts)
          expect([whole.has(start), whole.has(end)]).toEqual([true, true]);
      }),
      { numRuns: lawRuns(1000) },
    );
  });

  it("records one cut where one piece is left out", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.string(),
        fc.string({ minLength: 1 }),
        fc.string(),
        async (head, added, tail) => {
          const cleaners = [returning(head + tail)];

          const { cuts } = await removeFromText(head + added + tail, { cleaners });

          expect(cuts).toHaveLength(1);
        },
      ),
      { numRuns: lawRuns(1000) },
    );
  });

  it("fails wherever the function gives something else than pieces of the text", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.string({ maxLength: 6, unit: fc.constantFrom("a", "b", "👍") }),
        fc.string({ maxLength: 6, unit: fc.constantFrom("a", "b", "👍") }),
        async (text, rest) => {
          const pattern = Array.from(rest).join(".*");
          const isShortened = new RegExp(pattern, "su").test(text);

          const { failures } = await removeFromText(text, { cleaners: [returning(rest)] });

          expect(failures).toHaveLength(isShortened ? 0 : 1);
        },
      ),
      { numRuns: lawRuns(2000) },
    );
  });

  it("fails where the function gives no text", async () => {
    const cleaner = functionCleaner({ name: "f", removeFromText: () => 1 as unknown as string });

    expect((await removeFromText("a", { cleaners: [cleaner] })).failures).toHaveLength(1);
  });

  it("hands the signal to the function", async () => {
    const { signal } = new AbortController();
    const seen: unknown[] = [];
    const cleaner = functionCleaner({
      name: "f",
      removeFromText: async (text, given) => {
        seen.push(given);
        return text;
      },
    });

    await removeFromText("a", { cleaners: [cleaner], signal });

    expect(seen).toEqual([signal]);
  });
});
