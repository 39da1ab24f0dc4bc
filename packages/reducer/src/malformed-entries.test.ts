import type { HistoryEntry, ReductionPlan, TokenCounter } from "@agent-history/core";
import { describe, expect, it } from "vitest";

import { chat, counter, errorOf, options } from "../test-support/character-counter.ts";
import { applyPlan } from "./apply-plan.ts";
import { fitToWindow, fitToWindowAsync } from "./fit-to-window.ts";
import { planReduction } from "./fit-to-window.ts";

const SAID = { id: "bad", createdAtMs: 0 } as const;
/** What is wrong, and the field that says so. */
const malformed: readonly (readonly [string, unknown, string])[] = [
  ["null", null, ""],
  ["undefined", undefined, ""],
  ["a number", 7, ""],
  ["an entry without a type and an id", {}, "type"],
  ["a message without an id", { type: "user_message", content: "Hello." }, "id"],
  ["a message with a number for content", { ...SAID, type: "user_message", content: 7 }, "content"],
  [
    "a message with a part that is none",
    { ...SAID, type: "user_message", content: [null] },
    "content",
  ],
  ["an action without calls", { ...SAID, type: "action" }, "toolCalls"],
  [
    "an action with a call that is none",
    { ...SAID, type: "action", toolCalls: [null] },
    "toolCalls",
  ],
];
const silent = ["a message without content", { ...SAID, type: "user_message" }, "content"] as const;
/** Counts whatever comes. */
const lenient: TokenCounter = {
  ...counter,
  countEntry: (entry) => (typeof entry === "object" ? counter.countEntry(entry) : 1),
};
const lenientOptions = (contextTokens: number) => ({ ...options(contextTokens), counter: lenient });

function historyWith(value: unknown, at = chat.length): readonly HistoryEntry[] {
  return (chat as readonly unknown[]).toSpliced(at, 0, value) as readonly HistoryEntry[];
}

function stored(plan: ReductionPlan): ReductionPlan {
  return JSON.parse(JSON.stringify(plan));
}

describe("fitToWindow with malformed entries", () => {
  it.each([...malformed, silent])(
    "never throws a bare TypeError for %s, wherever it stands",
    (_, value) => {
      for (const contextTokens of [25, 40, 60, 80, 1000]) {
        for (let at = 0; at <= chat.length; at++) {
          const { plan: previousPlan } = fitToWindow(chat.slice(0, at), options(contextTokens));
          const history = historyWith(value, at);
          const given = lenientOptions(contextTokens);
          const fits = [
            () => fitToWindow(history, given),
            () => fitToWindow(history, { ...given, previousPlan }),
            () => planReduction(history, given),
            () =>
              applyPlan(historyWith(value, at).toSpliced(at + 1, 1), planReduction(chat, given)),
          ];
          for (const fit of fits) {
            const code = errorOf(fit)?.code;
            expect(["INVALID_ENTRY", "INVALID_OPTION", "WINDOW_TOO_SMALL", undefined]).toContain(
              code,
            );
          }
        }
      }
    },
  );

  it.each(malformed)(
    "says where it found %s, and what it expected there",
    async (_, value, path) => {
      // Too long for what is kept whole: each entry is read.
      const history = [...chat, ...historyWith(value)].slice(2);
      const details = { index: history.length - 1, path };
      const given = lenientOptions(60);
      const found = { name: "HistoryError", code: "INVALID_ENTRY", details };
      const error = errorOf(() => fitToWindow(history, given));
      expect(error).toMatchObject(found);
      expect(error?.cause).toBeInstanceOf(TypeError);
      await expect(fitToWindowAsync(history, given)).rejects.toMatchObject(found);
    },
  );
  it.each(malformed)("says of %s with what it remembers what it says without", (_, value) => {
    const given = lenientOptions(40);
    const before = fitToWindow(chat.slice(0, 4), given).plan;
    const { plan } = fitToWindow(chat, { ...given, previousPlan: before });
    const history = historyWith(value);
    const codes = [plan, plan, stored(plan)].map(
      (previousPlan) => errorOf(() => fitToWindow(history, { ...given, previousPlan }))?.code,
    );
    expect(new Set(codes).size).toBe(1);
  });

  it.each([fitToWindow, planReduction])("names the entry, and quotes nothing of it: %o", (fit) => {
    const bad = { ...SAID, type: "user_message", content: { secret: "word" } };
    const error = errorOf(() => fit(historyWith(bad), options(60)));
    expect(error?.message).toBe(
      "Expected text or a list of parts at `content` of entry 8 of the history; got object. Fix or remove the entry.",
    );
    expect(error?.details).toEqual({
      index: 8,
      path: "content",
      entryId: "bad",
      entryType: "user_message",
    });
  });

  it("finds a hole of the array", () => {
    const history = chat.slice();
    history.length += 1;
    history.push(...chat.slice(0, 1).map((entry) => ({ ...entry, id: "u9" })));
    const error = errorOf(() => fitToWindow(history, options(60)));
    expect(error).toMatchObject({ code: "INVALID_ENTRY", details: { index: 8, path: "" } });
  });

  it("leaves to a counter what it throws, and a failure as it is where each entry is sound", () => {
    const boom = new TypeError("boom");
    const countEntry = (): never => {
      throw boom;
    };
    const failing = { ...options(60), counter: { ...counter, countEntry } };
    const bad = historyWith({ ...SAID, type: "user_message" }, 0);
    const failed = errorOf(() => fitToWindow(bad, failing));
    expect(failed).toMatchObject({ code: "COUNTER_FAILED", cause: boom });
    const propose = (): never => {
      throw boom;
    };
    const given = { ...options(60), steps: [{ name: "mine", propose }] };
    expect(errorOf(() => fitToWindow(chat, given))).toMatchObject({
      code: "STEP_FAILED",
      cause: boom,
    });
  });

  it.each([
    ["null", null],
    ["undefined", undefined],
    ["an object", {}],
    ["a text", "history"],
    ["a set", new Set(chat)],
  ])("refuses %s for a history", async (_, value: unknown) => {
    const history = value as readonly HistoryEntry[];
    const wrong = { code: "INVALID_OPTION", details: { option: "entries" } };
    const plan = planReduction(chat, options(60));
    expect(errorOf(() => fitToWindow(history, options(60)))).toMatchObject(wrong);
    expect(errorOf(() => planReduction(history, options(60)))).toMatchObject(wrong);
    expect(errorOf(() => applyPlan(history, plan))).toMatchObject(wrong);
    await expect(fitToWindowAsync(history, options(60))).rejects.toMatchObject(wrong);
  });
});
