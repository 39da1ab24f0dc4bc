import { userMessage } from "@agent-history/core";
import type { HistoryEntry } from "@agent-history/core";
import { planReduction } from "@agent-history/reducer";
import { describe, expect, it } from "vitest";

import { inspectPlans } from "./inspect-plans.ts";
import { lengthCounter } from "./length-counter.ts";
import { planRecorder } from "./plan-recorder.ts";

const log = ["a", "b", "c"].map((id) => userMessage({ id, createdAtMs: 0, content: id }));
const planOf = (entries: readonly HistoryEntry[]): ReturnType<typeof planReduction> =>
  planReduction(entries, { counter: lengthCounter(), window: { contextTokens: 1000 } });

describe("planRecorder", () => {
  it("gives the data that its plans and entries give", async () => {
    const recorder = planRecorder({ entries: () => log, title: "t" });
    const plans = [1, 2, 3].map((count) => planOf(log.slice(0, count)));
    plans.forEach((plan) => recorder.onPlan(plan));

    expect(await recorder.data()).toEqual(inspectPlans({ plans, entries: log, title: "t" }));
  });

  it("takes what hooks pass: entries, or the number of a step before them", async () => {
    const recorder = planRecorder();
    recorder.onPlan(planOf(log.slice(0, 2)), log.slice(0, 2));
    recorder.onPlan(planOf(log), log);
    const { entries, calls, problems } = await recorder.data();

    expect(entries).toEqual(log);
    expect(calls.map(({ runs }) => runs.reduce((sum, [, rows]) => sum + rows, 0))).toEqual([2, 3]);
    expect(problems).toEqual([]);
  });

  it("forgets the oldest calls, whose numbers stay", async () => {
    const recorder = planRecorder({ maxCalls: 2 });
    for (let count = 0; count < 5; count++) recorder.onPlan(planOf(log), log);

    expect((await recorder.data()).calls.map(({ id }) => id)).toEqual(["4", "5"]);
    expect(() => planRecorder({ maxCalls: -1 })).toThrow("maxCalls");
  });

  it("has another version after each plan", () => {
    const recorder = planRecorder();
    const first = recorder.version();
    recorder.onPlan(planOf(log), log);

    expect(recorder.version()).not.toBe(first);
  });
});
