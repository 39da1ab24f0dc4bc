import { assistantMessage, summary, systemMessage, userMessage } from "@agent-history/core";
import type { HistoryEntry } from "@agent-history/core";
import { describe, expect, it } from "vitest";

import { chat, counter, errorOf, options } from "../test-support/character-counter.ts";
import { fitToWindow } from "./fit-to-window.ts";
import { planReduction } from "./fit-to-window.ts";
import type { ReductionStep } from "./reduction-step.ts";

describe("fitToWindow, refusing", () => {
  it("says how much what must be kept needs, where the window is smaller than the system message", () => {
    const system = systemMessage({ content: "s".repeat(50) });
    const error = errorOf(() => fitToWindow([system, ...chat], options(40)));
    expect(error).toMatchObject({
      code: "WINDOW_TOO_SMALL",
      message: expect.stringContaining("needs at least 70 tokens"),
      details: { required: 70, available: 40 },
    });
  });

  for (const window of [
    { contextTokens: -1 },
    { contextTokens: NaN },
    { contextTokens: 1.5 },
    { contextTokens: 100, outputReserveTokens: 101 },
    { contextTokens: 100, marginTokens: NaN },
  ]) {
    it(`refuses the window ${JSON.stringify(window)}`, () => {
      expect(errorOf(() => fitToWindow(chat, { window, counter }))?.code).toBe("INVALID_OPTION");
    });
  }

  for (const bad of [{ lowWatermark: 0 }, { lowWatermark: 2 }, { maxResultShare: NaN }]) {
    it(`refuses ${JSON.stringify(bad)}`, () => {
      expect(errorOf(() => fitToWindow(chat, { ...options(100), ...bad }))?.code).toBe(
        "INVALID_OPTION",
      );
    });
  }

  it.each([
    ["counter", undefined],
    ["counter", {}],
    ["window", undefined],
    ["firstRequestShare", "first"],
    ["recall", "blocks"],
    ["scorer", {}],
    ["steps", 7],
    ["steps", [{}]],
  ])("refuses for `%s`: %j", (option, value) => {
    const wrong = { ...options(100), [option]: value };
    for (const fit of [fitToWindow, planReduction]) {
      const error = errorOf(() => fit(chat, wrong));
      expect(error).toMatchObject({ code: "INVALID_OPTION", details: { option } });
    }
  });

  it.each<["answer" | "final" | "pinned answer", Partial<HistoryEntry>, number]>([
    ["answer", {}, 430],
    ["final", { type: "final" }, 430],
    ["pinned answer", { pinned: true }, 630],
  ])(
    "names the least window in which a newest %s, and a request that it needs, have room",
    (_, fields, length) => {
      const entries = [
        userMessage({ id: "u", content: "q".repeat(length) }),
        { ...assistantMessage({ id: "a", content: "a".repeat(240) }), ...fields } as HistoryEntry,
        ...("pinned" in fields ? [userMessage({ id: "n", content: "n".repeat(200) })] : []),
      ];
      const { required, parts } = errorOf(() => fitToWindow(entries, options(440)))?.details ?? {};
      const tokens = (parts as string[]).map((part) => Number(part.split(" ").at(-1)));
      expect(tokens.reduce((sum, one) => sum + one)).toBe(required);
      expect(fitToWindow(entries, options(Number(required))).plan.totalTokens).toBe(required);
      expect(errorOf(() => fitToWindow(entries, options(Number(required) - 1)))?.code).toBe(
        "WINDOW_TOO_SMALL",
      );
    },
  );

  it("says how many entries bear the id of another, and drops no copy of one without a word", () => {
    const other = { ...chat[0], content: "else" } as (typeof chat)[number];
    const error = errorOf(() => fitToWindow([...chat, other], options(100)));
    expect(error).toMatchObject({ code: "DUPLICATE_ID", details: { count: 1 } });
    const { entries, plan } = fitToWindow([...chat, ...chat.slice(0, 1)], options(100));
    expect(entries.length).toBe(chat.length);
    expect(plan.repairs).toEqual([{ kind: "dropped-duplicate", entryId: "u1" }]);
  });

  it("names the entry at which a counter gave no count", () => {
    for (const value of [NaN, -1, 0.5]) {
      const broken = { ...counter, countEntry: () => value };
      const error = errorOf(() => fitToWindow(chat, { ...options(100), counter: broken }));
      expect(error).toMatchObject({
        code: "COUNTER_FAILED",
        details: { entryId: expect.any(String) },
      });
    }
  });

  it("wraps what a counter or a step throws", () => {
    const throwing = () => {
      throw new Error("boom");
    };
    const broken = { ...counter, countEntry: throwing };
    expect(errorOf(() => fitToWindow(chat, { ...options(9), counter: broken }))?.code).toBe(
      "COUNTER_FAILED",
    );
    const step: ReductionStep = { name: "bad", propose: throwing };
    const error = errorOf(() => fitToWindow(chat, { ...options(40), steps: [step] }));
    expect(error).toMatchObject({ code: "STEP_FAILED", details: { step: "bad" } });
  });

  it("refuses a step that makes the history larger, with the numbers", () => {
    const long = summary({ content: "z".repeat(99), strategy: "own", trust: "user" });
    const step: ReductionStep = {
      name: "larger",
      propose: (units) => [
        { kind: "summarize", units: units.slice(0, 2), summary: long, reason: "test" },
      ],
    };
    const error = errorOf(() => fitToWindow(chat, { ...options(40), steps: [step] }));
    expect(error).toMatchObject({ code: "STEP_FAILED", details: { step: "larger" } });
    expect(error?.message).toContain("replaced 20 tokens by 99");
  });

  it("gives up what a step made of old turns before it refuses", () => {
    const old = summary({ id: "s", content: "z".repeat(30), strategy: "own", trust: "user" });
    const step: ReductionStep = {
      name: "own",
      propose: (units) => [
        { kind: "summarize", units: units.slice(0, 4), summary: old, reason: "test" },
      ],
    };
    const asked = userMessage({ id: "q", content: "q".repeat(60) });
    const fitted = (contextTokens: number) =>
      fitToWindow([...chat, asked], { ...options(contextTokens), steps: [step] }).entries;
    expect(fitted(90).map(({ id }) => id)).toEqual(["s", "q"]);
    expect(fitted(89).map(({ id }) => id)).toEqual(["u4", "a4", "q"]);
    expect(fitted(60)).toEqual([asked]);
    expect(errorOf(() => fitted(59))?.details).toMatchObject({ parts: ["question 60"] });
  });

  it("refuses a scorer that does not score every entry", () => {
    const scorer = { name: "short", score: () => [1] };
    expect(errorOf(() => fitToWindow(chat, { ...options(40), scorer }))?.code).toBe("STEP_FAILED");
  });

  it("says to use the async form where something must be awaited", () => {
    const scorer = { name: "late", score: async () => [] };
    const error = errorOf(() => fitToWindow(chat, { ...options(40), scorer }));
    expect(error?.message).toContain("fitToWindowAsync");
  });
});
