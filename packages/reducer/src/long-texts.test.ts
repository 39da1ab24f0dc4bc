import { assistantMessage, isHistoryError, userMessage } from "@agent-history/core";
import type { HistoryEntry, Reduction, TokenCounter } from "@agent-history/core";
import { lawRuns } from "@agent-history/testkit";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { exchangeOf } from "../test-support/exchange.ts";
import { expectLaws } from "../test-support/expect-laws.ts";
import { fitToWindow } from "./fit-to-window.ts";

/** Digits have a token each, other characters a quarter of one. */
function tokensOf(text: string): number {
  return Math.ceil((text.length + 3 * text.replaceAll(/\D/gu, "").length) / 4);
}

/** Counts text as it is asked, and notes how much of it: an entry once, as counters do, and of a text with a limit what passes the limit. */
function watchedCounter(): TokenCounter & { readonly counted: () => number } {
  const known = new WeakMap<HistoryEntry, number>();
  let counted = 0;
  return {
    id: "digits",
    countText: (text, { atMost = Infinity } = {}) => {
      const tokens = tokensOf(text);
      counted += Math.min(tokens, atMost);
      return tokens;
    },
    countEntry: (entry) => {
      const before = known.get(entry);
      if (before !== undefined) return before;
      const content = "content" in entry && typeof entry.content === "string" ? entry.content : "";
      const tokens = 4 + tokensOf(content);
      known.set(entry, tokens);
      counted += tokens;
      return tokens;
    },
    countRequest: () => 0,
    counted: () => counted,
  };
}

interface Shape {
  readonly question: string;
  readonly results: readonly string[];
  readonly answer: string;
}

function historyOf(turns: readonly Shape[]): readonly HistoryEntry[] {
  return turns.flatMap(({ question, results, answer }, nth) => [
    userMessage({ id: `u${nth}`, content: question }),
    ...results.flatMap((result, call) => exchangeOf(`${nth}-${call}`, result)),
    assistantMessage({ id: `a${nth}`, content: answer }),
  ]);
}

function fitted(
  entries: readonly HistoryEntry[],
  contextTokens: number,
  counter: TokenCounter,
): Reduction | undefined {
  try {
    return fitToWindow(entries, { window: { contextTokens }, counter });
  } catch (error) {
    if (isHistoryError(error, "WINDOW_TOO_SMALL")) return undefined;
    throw error;
  }
}

/** Text of the density of prose or of a log. */
const evenText = (lengths: readonly number[]): fc.Arbitrary<string> =>
  fc
    .tuple(fc.constantFrom(...lengths), fc.constantFrom("word ", "line 1: x\n"))
    .map(([length, piece]) => piece.repeat(Math.ceil(length / piece.length)));

/** Text whose ends say little about the rest. */
const unevenText = fc
  .array(fc.tuple(fc.constantFrom("a", "7", '{"a":1},'), fc.constantFrom(1, 400, 3000, 9000)), {
    maxLength: 4,
  })
  .map((pieces) => pieces.map(([piece, count]) => piece.repeat(count / piece.length)).join(""));

const question = userMessage({ id: "q", content: "Why?" });

describe("fitToWindow on long texts", () => {
  it("tokenizes at most seven windows of text, whatever the history holds (L13)", () => {
    const turn = fc.record({
      question: evenText([20, 200, 3000]),
      results: fc.array(evenText([100, 900, 3000, 20_000, 100_000]), { maxLength: 6 }),
      answer: evenText([20, 900, 3000, 30_000]),
    });
    const turns = fc.array(turn, { minLength: 1, maxLength: 30 });
    fc.assert(
      fc.property(turns, fc.constantFrom(4000, 8000, 32_000, 100_000), (shapes, window) => {
        const counter = watchedCounter();
        fitted([...historyOf(shapes), question], window, counter);
        expect(counter.counted() / window).toBeLessThanOrEqual(7);
      }),
      { numRuns: lawRuns(40) },
    );
  });

  it("tokenizes at most seven windows of sixty results of 100 kB (L13)", () => {
    const text = "line 17: total 4711 and value 8\n".repeat(3200);
    const shape = { question: "Read it.", results: [text, text, text], answer: "Done." };
    const entries = historyOf(Array.from({ length: 20 }, () => shape));
    for (const window of [8000, 32_000, 100_000]) {
      const counter = watchedCounter();
      expect(fitted(entries, window, counter)).toBeDefined();
      expect(counter.counted() / window).toBeLessThanOrEqual(7);
    }
  });

  it("tokenizes at most seven windows where a user's message before the question is as long as twenty (L13)", () => {
    const pasted = userMessage({ id: "pasted", content: "word ".repeat(128_000) });
    const answer = assistantMessage({ id: "answer", content: "Done." });
    for (const entries of [
      [pasted, question],
      [pasted, question, answer],
      [pasted, answer, question],
    ]) {
      const counter = watchedCounter();
      expect(fitted(entries, 8000, counter)).toBeDefined();
      expect(counter.counted() / 8000).toBeLessThanOrEqual(7);
    }
  });

  const turns = fc.array(
    fc.record({
      question: fc.constantFrom("Why?", "1".repeat(500)),
      results: fc.array(unevenText, { maxLength: 3 }),
      answer: unevenText,
    }),
    { minLength: 1, maxLength: 6 },
  );

  it("keeps every law where the ends of a text say little about the rest", () => {
    const counter = watchedCounter();
    fc.assert(
      fc.property(turns, fc.integer({ min: 500, max: 20_000 }), (shapes, window) => {
        const entries = historyOf(shapes);
        const fit = fitted(entries, window, counter);
        if (fit === undefined) return;
        expectLaws(entries, fit, { window, counter });
        const again = fitted(fit.entries, window, counter);
        expect(again?.entries).toBe(fit.entries);
      }),
      { numRuns: lawRuns(60) },
    );
  });

  it("returns a history that fits as it is, whatever its texts seem to have", () => {
    const counter = watchedCounter();
    fc.assert(
      fc.property(turns, (shapes) => {
        const entries = historyOf(shapes);
        const contextTokens = entries.reduce((sum, entry) => sum + counter.countEntry(entry), 0);
        const options = { window: { contextTokens }, counter, maxResultShare: 1 };
        const { entries: kept, plan } = fitToWindow(entries, options);
        expect(kept).toBe(entries);
        expect(plan.decisions.some(({ estimated }) => estimated)).toBe(false);
      }),
      { numRuns: lawRuns(60) },
    );
  });

  it("shortens a result to its cap only where it has more, whatever its ends seem to say", () => {
    const dense = "7".repeat(1200);
    const sparse = "a".repeat(6000);
    const counter = watchedCounter();
    const fit = (text: string, share: number): Reduction =>
      fitToWindow([question, ...exchangeOf("1", text)], {
        window: { contextTokens: 20_000 },
        counter,
        maxResultShare: share,
      });
    const whole = dense + sparse + dense;
    const { entries } = fit(whole, tokensOf(whole) / 20_000 + 0.001);
    expect(entries[2]).toMatchObject({ content: whole });
    const { plan } = fit(whole, tokensOf(whole) / 20_000 - 0.01);
    expect(plan.decisions.map(({ step }) => step)).toEqual(["protect", "protect", "cap-results"]);
  });
});
