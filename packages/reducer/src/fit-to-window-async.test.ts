import { assistantMessage, summary, userMessage } from "@agent-history/core";
import type {
  AsyncTokenCounter,
  Compressor,
  HistoryEntry,
  ReductionPlan,
} from "@agent-history/core";
import { lawRuns } from "@agent-history/testkit";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { chat, codeOf, counter, options } from "../test-support/character-counter.ts";
import { embeddingScorer } from "./embedding-scorer.ts";
import { fitToWindow, fitToWindowAsync } from "./fit-to-window.ts";
import { threeTierReducer } from "./ready-reducers.ts";
import { replaceOldTurns } from "./replace-old-turns.ts";

describe("fitToWindowAsync", () => {
  it("gives what the sync form gives", async () => {
    const late = {
      id: counter.id,
      countText: async (text: string) => counter.countText(text),
      countEntry: async (entry: HistoryEntry) => counter.countEntry(entry),
      countRequest: async () => 0,
    };
    expect(await fitToWindowAsync(chat, { ...options(45), counter: late })).toEqual(
      fitToWindow(chat, options(45)),
    );
  });

  it("asks a counter once for each entry, whether it answers at once or later, and decides the same, cuts included", async () => {
    const lengths = fc.array(fc.integer({ min: 1, max: 60 }), { minLength: 4, maxLength: 24 });
    await fc.assert(
      fc.asyncProperty(lengths, fc.boolean(), async (given, isLate) => {
        const entries = given.map((length, index) =>
          index % 2 === 0
            ? userMessage({ id: `u${index}`, content: "q".repeat(length) })
            : assistantMessage({ id: `a${index}`, content: "a".repeat(length) }),
        );
        const asked: HistoryEntry[] = [];
        const countEntry = (entry: HistoryEntry): number => {
          asked.push(entry);
          return counter.countEntry(entry);
        };
        const late: AsyncTokenCounter = {
          id: counter.id,
          countText: async (text) => counter.countText(text),
          countEntry: async (entry) => countEntry(entry),
          countRequest: async () => 0,
        };
        const watched = isLate ? late : { ...counter, countEntry };
        const halves = [entries.slice(0, entries.length / 2), entries];
        let plan: ReductionPlan | undefined;
        for (const half of halves) {
          const base = { ...options(120), ...(plan && { previousPlan: plan }) };
          asked.length = 0;
          const fitted = await fitToWindowAsync(half, { ...base, counter: watched });
          expect(new Set(asked).size).toBe(asked.length);
          expect(fitted).toEqual(fitToWindow(half, base));
          plan = fitted.plan;
        }
      }),
      { numRuns: lawRuns(60) },
    );
  });

  it("stops when the signal fires", async () => {
    const work = fitToWindowAsync(chat, { ...options(40), signal: AbortSignal.abort() });
    expect(await codeOf(work)).toBe("ABORTED");
  });

  it("finds by embeddings what the question is about, and embeds each entry once", async () => {
    const embedded: string[] = [];
    const embed = async (texts: readonly string[]) => {
      embedded.push(...texts);
      return texts.map((text) => (text.includes("Rome") ? [1, 0] : [0, 1]));
    };
    const entries = [
      userMessage({ id: "r1", content: "Rome is hot." }),
      ...chat,
      userMessage({ id: "u9", content: "And Rome?" }),
    ];
    const scorer = embeddingScorer({ embed });
    const { entries: fitted } = await fitToWindowAsync(entries, { ...options(65), scorer });
    expect(fitted.map(({ id }) => id)).toContain("r1");
    const before = embedded.length;
    await fitToWindowAsync(entries, { ...options(60), scorer });
    expect(embedded.length).toBe(before + 1);
  });

  it("puts a summary in place of old turns, and goes on without one where it fails", async () => {
    const short = summary({
      id: "z",
      content: "sum",
      strategy: "whole",
      trust: "user",
      view: "thread",
      covers: [{ from: "u1", to: "a3" }],
    });
    const compressor: Compressor = {
      name: "test",
      compress: async () => ({
        outcome: "compressed",
        compaction: { summary: { ...short, view: "thread" }, tokensBefore: 60, tokensAfter: 3 },
      }),
    };
    const fitted = await fitToWindowAsync(chat, {
      ...options(40),
      steps: [replaceOldTurns({ compressor })],
    });
    expect(fitted.entries.map(({ id }) => id)).toEqual(["z", "u4", "a4"]);
    const failing: Compressor = {
      name: "failing",
      compress: async () => ({ outcome: "failed", reason: "no model", error: new Error("x") }),
    };
    const reducer = threeTierReducer({ counter, compressor: failing });
    const without = await reducer.reduce(chat, { window: { contextTokens: 40 } });
    expect(without.entries.map(({ id }) => id)).toEqual(["u3", "a3", "u4", "a4"]);
  });

  it("gives up a summary of an earlier plan where the question needs its room (L4)", async () => {
    const covers = [{ from: "u1", to: "a3" }];
    const fields = { content: "s".repeat(20), strategy: "whole", trust: "user" } as const;
    const made = { ...summary({ id: "z", ...fields }), view: "thread", covers } as const;
    const compressor: Compressor = {
      name: "test",
      compress: async () => ({
        outcome: "compressed",
        compaction: { summary: made, tokensBefore: 60, tokensAfter: 20 },
      }),
    };
    const summarizing = { ...options(50), steps: [replaceOldTurns({ compressor })] };
    const { plan, entries } = await fitToWindowAsync(chat, summarizing);
    expect(entries[0]?.id).toBe("z");

    const next = [...chat, userMessage({ id: "u5", content: "q".repeat(45) })];
    const fitted = fitToWindow(next, { ...options(50), previousPlan: plan });

    expect(fitted.entries.map(({ id }) => id)).toEqual(["u5"]);
    expect(fitted.plan.totalTokens).toBe(45);
  });
});
