import { HistoryError, isHistoryError, userMessage } from "@agent-history/core";
import type { Compressor, HistoryEntry, ReductionPlan, RelevanceScorer } from "@agent-history/core";
import { describe, expect, it } from "vitest";

import { chat, codeOf, counter, errorOf, options } from "../test-support/character-counter.ts";
import type { FitOptions } from "./fit-options.ts";
import { fitToWindow, fitToWindowAsync } from "./fit-to-window.ts";
import type { ReductionStep } from "./reduction-step.ts";
import { replaceOldTurns } from "./replace-old-turns.ts";

const boom = new Error("boom");
const rejecting = async (): Promise<never> => Promise.reject(boom);
const throwing = (): never => {
  throw boom;
};
const never = async (): Promise<never> => new Promise(() => undefined);
const failWith = (error: Error) => (): never => {
  throw error;
};
/** A promise of another library. */
const thenable = <Value>(value: Value): Promise<Value> =>
  // oxlint-disable-next-line unicorn/no-thenable -- what is tested
  ({ then: (resolve: (value: Value) => void) => resolve(value) }) as Promise<Value>;

const asyncCounter = {
  id: "late",
  countText: async (text: string) => text.length,
  countEntry: async (entry: HistoryEntry) => counter.countEntry(entry),
  countRequest: async () => 0,
};

const steps = (compress: Compressor["compress"]): readonly ReductionStep[] => [
  replaceOldTurns({ compressor: { name: "poet", compress } }),
];

async function failureOf(more: Partial<FitOptions>): Promise<unknown> {
  return fitToWindowAsync(chat, { ...options(40), ...more }).then(
    () => undefined,
    (error: unknown) => error,
  );
}

describe("fitToWindowAsync, failing", () => {
  it("says that a counter failed at any count of a cut, as the steps do", () => {
    const { plan: previousPlan } = fitToWindow(chat, options(60));
    const log = [
      ...chat,
      { id: "q", type: "user_message", createdAtMs: 0, content: "Why?" } as const,
    ];
    for (const more of [{}, { lowWatermark: 0.3 }]) {
      let counts = 0;
      const counting = (nth: number): FitOptions => ({
        ...options(60),
        ...more,
        previousPlan,
        counter: {
          ...counter,
          countEntry: (entry: HistoryEntry) => {
            counts += 1;
            if (counts === nth) throw boom;
            return counter.countEntry(entry);
          },
        },
      });
      expect(fitToWindow(log, counting(0)).plan.continued?.stoppedBy).toBe("cut");
      const all = counts;
      expect(all).toBeGreaterThan(4);
      for (let nth = 1; nth <= all; nth++) {
        counts = 0;
        expect(errorOf(() => fitToWindow(log, counting(nth)))?.code).toBe("COUNTER_FAILED");
      }
    }
  });

  const failing = { rejects: rejecting, throws: throwing };

  for (const [how, fails] of Object.entries(failing)) {
    it(`says that the counter failed, and at which entry, where it ${how}`, async () => {
      const error = await failureOf({ counter: { ...asyncCounter, countEntry: fails } });
      expect(error).toMatchObject({
        code: "COUNTER_FAILED",
        details: { counterId: "late", entryId: "a4" },
        cause: boom,
      });
      const atRequest = await failureOf({ counter: { ...asyncCounter, countRequest: fails } });
      expect(atRequest).toMatchObject({ code: "COUNTER_FAILED", cause: boom });
    });

    it(`passes on that an option is wrong where the counter ${how} so`, async () => {
      const wrong = new HistoryError("Expected other tools.", { code: "INVALID_OPTION" });
      const refuses = how === "throws" ? failWith(wrong) : async () => Promise.reject(wrong);
      const error = await failureOf({ counter: { ...asyncCounter, countRequest: refuses } });
      expect(error).toBe(wrong);
    });

    it(`names the step that ${how}`, async () => {
      const error = await failureOf({ steps: [{ name: "mine", propose: fails }] });
      expect(error).toMatchObject({
        code: "STEP_FAILED",
        details: { step: "mine" },
        cause: boom,
      });
    });

    it(`names the scorer that ${how}`, async () => {
      const error = await failureOf({ scorer: { name: "finder", score: fails } });
      expect(error).toMatchObject({
        code: "STEP_FAILED",
        details: { step: "finder" },
        cause: boom,
      });
    });

    it(`goes on without a compressor that ${how}, and tells why in the plan`, async () => {
      const { plan, entries } = await fitToWindowAsync(chat, {
        ...options(40),
        steps: steps(fails),
      });
      expect(entries.at(-1)?.id).toBe("a4");
      expect(plan.skipped).toEqual([
        { step: "replace-old-turns", reason: "no summary by poet: Error" },
      ]);
    });
  }

  it("names the step whose generator throws between two proposals", () => {
    const step: ReductionStep = {
      name: "half",
      *propose(units) {
        yield { kind: "drop", unit: units[0] ?? throwing(), reason: "test" };
        throw boom;
      },
    };
    const error = errorOf(() => fitToWindow(chat, { ...options(40), steps: [step] }));
    expect(error).toMatchObject({ code: "STEP_FAILED", details: { step: "half" }, cause: boom });
  });

  it("names a scorer that gives something else than scores", async () => {
    const score = (() => null) as unknown;
    const scorer = { name: "finder", score } as RelevanceScorer;
    const error = errorOf(() => fitToWindow(chat, { ...options(40), scorer }));
    expect(error).toMatchObject({ code: "STEP_FAILED", details: { step: "finder" } });
  });

  it("tells in the plan why a compressor made no summary", async () => {
    const { plan } = await fitToWindowAsync(chat, {
      ...options(40),
      steps: steps(async () => ({ outcome: "not-beneficial", reason: "it saves 2%" })),
    });
    expect(plan.skipped).toEqual([
      { step: "replace-old-turns", reason: "no summary by poet: it saves 2%" },
    ]);
    expect(fitToWindow(chat, options(40)).plan.skipped).toBeUndefined();
  });

  it("awaits promises of other libraries", async () => {
    const countEntry = (entry: HistoryEntry) => thenable(counter.countEntry(entry));
    const fitted = await fitToWindowAsync(chat, {
      ...options(40),
      counter: { ...asyncCounter, countEntry },
    });
    expect(fitted.plan.totalTokens).toBe(40);
  });

  const hanging: Readonly<Record<string, Partial<FitOptions>>> = {
    counter: { counter: { ...asyncCounter, countEntry: never } },
    scorer: { scorer: { name: "finder", score: never } },
    step: { steps: [{ name: "mine", propose: never }] },
    compressor: { steps: steps(never) },
  };
  for (const [what, more] of Object.entries(hanging)) {
    it(`ends at once when the signal fires while a ${what} hangs`, async () => {
      const controller = new AbortController();
      const { signal } = controller;
      const work = fitToWindowAsync(chat, { ...options(40), ...more, signal });
      controller.abort();
      expect(await codeOf(work)).toBe("ABORTED");
    });
  }

  it("says ABORTED where a counter or a step fails because the signal fired", async () => {
    for (const more of ["counter", "step"]) {
      const controller = new AbortController();
      const fail = (): never => {
        controller.abort();
        throw boom;
      };
      const error = await failureOf({
        signal: controller.signal,
        ...(more === "counter"
          ? { counter: { ...asyncCounter, countEntry: fail } }
          : { steps: [{ name: "mine", propose: fail }] }),
      });
      expect(isHistoryError(error, "ABORTED")).toBe(true);
    }
  });

  it("says ABORTED where the signal has fired, or fires while a cut is counted, with a plan in memory as with a stored one", () => {
    const { plan } = fitToWindow(chat, options(80));
    const question = userMessage({ id: "q", content: "q".repeat(20) });
    const stored: ReductionPlan = JSON.parse(JSON.stringify(plan));
    for (const previousPlan of [undefined, plan, stored]) {
      for (const contextTokens of [80, 500]) {
        const fit = { ...options(contextTokens), signal: AbortSignal.abort(), previousPlan };
        expect(errorOf(() => fitToWindow([...chat, question], fit))?.code).toBe("ABORTED");
      }
      const controller = new AbortController();
      const countEntry: typeof counter.countEntry = (entry) => {
        controller.abort();
        return counter.countEntry(entry);
      };
      const { signal } = controller;
      const fit = { ...options(80), signal, previousPlan, counter: { ...counter, countEntry } };
      expect(errorOf(() => fitToWindow([...chat, question], fit))?.code).toBe("ABORTED");
    }
  });

  it("hands its signal to the counter", async () => {
    const { signal } = new AbortController();
    const seen = new Set<AbortSignal | undefined>();
    const countEntry: typeof asyncCounter.countEntry = async (...given) => {
      seen.add((given as readonly unknown[])[2] as AbortSignal | undefined);
      return counter.countEntry(given[0]);
    };
    await fitToWindowAsync(chat, {
      ...options(40),
      signal,
      counter: { ...asyncCounter, countEntry },
    });
    expect([...seen]).toEqual([signal]);
  });
});
