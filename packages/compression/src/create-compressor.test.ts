import { applyCompactions, systemMessage } from "@agent-history/core";
import type { SummaryModel } from "@agent-history/core";
import { checkHistory } from "@agent-history/core/check";
import { fitToWindowAsync, replaceOldTurns, threeTierReducer } from "@agent-history/reducer";
import { arbitraryHistory, lawRuns } from "@agent-history/testkit";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { chat, codeOf, options } from "../test-support/chat.ts";
import { goodModel, zoo } from "../test-support/model-zoo.ts";
import { counter, sleep } from "../test-support/quarter-counter.ts";
import { areStillValid } from "./compactions.ts";
import { createCompressor } from "./compress-history.ts";
import { textOf } from "./internal/data-text.ts";
import { chunked } from "./strategies.ts";

describe("createCompressor", () => {
  it("gives one summary for a strategy of several, with the text of each under one cap", async () => {
    const strategy = chunked({ size: 4 });
    let answer = 0;
    const model = async (): Promise<string> => `Part ${(answer += 1)} was done.`;
    const compressor = createCompressor({ counter, sleep, model, strategy });
    const made = await compressor.compress(chat(6), { view: "thread" });
    if (made.outcome !== "compressed") throw new Error(made.outcome);
    expect(made.compactions).toHaveLength(1);
    const { summary, tokensBefore, tokensAfter } = made.compaction;
    expect(summary.covers).toEqual([{ from: "u1", to: "a6" }]);
    expect(textOf(summary.content)).toContain("## Summary\nPart 1 was done.\n");
    expect(tokensBefore).toBe(600);
    expect(tokensAfter).toBeLessThanOrEqual(200);
    expect(areStillValid(made.compactions, chat(6))).toBe(true);
  });

  it("joins chunks where the cap has no room for a summary of each", async () => {
    let asked = 0;
    const model: SummaryModel = (request) => {
      asked += 1;
      return goodModel(request);
    };
    const strategy = chunked({ size: 1 });
    const compressor = createCompressor({ counter, sleep, model, strategy, maxTokens: 400 });
    const made = await compressor.compress(chat(50), { view: "thread" });
    if (made.outcome !== "compressed") throw new Error(made.outcome);
    expect(made.compaction.summary.covers).toEqual([{ from: "u1", to: "a50" }]);
    expect(asked).toBeLessThanOrEqual(7);
  });

  it("keeps no tail of what it is handed, unless told", async () => {
    const coverOf = async (tailTokens?: number): Promise<unknown> => {
      const given = { counter, sleep, model: goodModel };
      const compressor = createCompressor(
        tailTokens === undefined ? given : { ...given, tailTokens },
      );
      const made = await compressor.compress(chat(4), { view: "thread" });
      return made.outcome === "compressed" ? made.compaction.summary.covers : made.outcome;
    };
    expect(await coverOf()).toEqual([{ from: "u1", to: "a4" }]);
    expect(await coverOf(60)).toEqual([{ from: "u1", to: "u4" }]);
  });

  it("stops asking a model that fails, for each view by itself, until the history has grown", async () => {
    let asked = 0;
    const model = async (): Promise<string> => {
      asked += 1;
      return "";
    };
    const compressor = createCompressor({ counter, sleep, model, maxAttempts: 1, maxFailures: 2 });
    for (let round = 0; round < 5; round++) await compressor.compress(chat(4), { view: "thread" });
    expect(asked).toBe(2);
    await compressor.compress(chat(4), { view: "conversation" });
    expect(asked).toBe(3);
    await compressor.compress(chat(8), { view: "thread" });
    expect(asked).toBe(4);
  });

  it("refuses bad options at construction, and stops when the signal fires", async () => {
    expect(await codeOf(() => createCompressor({ counter, maxTokens: 0 }))).toBe("INVALID_OPTION");
    const compressor = createCompressor({ counter });
    const signal = AbortSignal.abort();
    expect(await codeOf(() => compressor.compress(chat(4), { view: "thread", signal }))).toBe(
      "ABORTED",
    );
  });
});

describe("createCompressor, with the reducer", () => {
  it("puts a summary in place of old turns, which a log takes as it is", async () => {
    const compressor = createCompressor({ ...options, maxTokens: 100, name: "summaries" });
    const entries = [systemMessage({ id: "s", content: "Be brief." }), ...chat(5)];
    const fitted = await fitToWindowAsync(entries, {
      counter,
      window: { contextTokens: 320 },
      steps: [replaceOldTurns({ compressor, keepRecent: 2 })],
    });
    const ids = fitted.entries.map(({ id }) => id);
    expect(ids).toEqual(["s", "s1", "u4", "a4", "u5", "a5", "u6"]);
    const made = fitted.entries.find((entry) => entry.type === "summary");
    if (made === undefined) throw new Error("no summary");
    const shown = applyCompactions([...entries, made], "thread");
    expect(shown.map(({ id }) => id)).toEqual(ids);
  });

  it("gives prompts that a provider takes, whatever the model does", async () => {
    await fc.assert(
      fc.asyncProperty(
        arbitraryHistory({ flat: true, turns: 4, text: { maxLength: 800 } }),
        fc.constantFrom(...zoo),
        async (entries, { model }) => {
          const compressor = createCompressor({
            counter,
            sleep,
            model,
            timeoutMs: 10,
            maxAttempts: 1,
          });
          const reducer = threeTierReducer({ counter, compressor, keepRecent: 2 });
          const whole = entries.reduce((sum, entry) => sum + counter.countEntry(entry), 3);
          const window = { contextTokens: Math.ceil(whole * 0.8) };
          const fit = async () => reducer.reduce(entries, { window });
          // What must be kept may not fit.
          const fitted = await fit().catch(() => undefined);
          if (fitted === undefined) return;
          expect(checkHistory(fitted.entries, { before: entries })).toEqual([]);
          expect(fitted.plan.totalTokens).toBeLessThanOrEqual(window.contextTokens);
        },
      ),
      { numRuns: lawRuns(100) },
    );
  });
});
