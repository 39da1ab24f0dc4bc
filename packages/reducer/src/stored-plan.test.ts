import { userMessage } from "@agent-history/core";
import type { HistoryEntry } from "@agent-history/core";
import { describe, expect, it } from "vitest";

import { chat, counter, errorOf } from "../test-support/character-counter.ts";
import { applyPlan } from "./apply-plan.ts";
import { fitToWindow } from "./fit-to-window.ts";

const question = userMessage({ id: "u9", content: "q" });

describe("fitToWindow with a stored plan", () => {
  it("goes on from a stored plan without a limit", () => {
    const options = { window: { contextTokens: Infinity }, counter };
    const { plan } = fitToWindow(chat, options);
    const stored = JSON.parse(JSON.stringify(plan));
    expect(stored).toEqual(plan);
    const fitted = fitToWindow([...chat, question], { ...options, previousPlan: stored });
    expect(fitted.plan.continued).toEqual({ entryCount: 8 });
  });

  it("is not taken in by a plan that was damaged", () => {
    const options = { window: { contextTokens: 60 }, counter };
    const { plan } = fitToWindow(chat, options);
    const added = [...chat, question];
    const damages: readonly unknown[] = [
      { ...plan, totalTokens: -1e9 },
      { ...plan, requestTokens: 1, totalTokens: plan.totalTokens + 1 },
      { ...plan, window: { contextTokens: null } },
      { ...plan, settledUntil: 999 },
      { ...plan, decisions: plan.decisions.slice(1) },
      {
        ...plan,
        decisions: plan.decisions.map((run) => ({ ...run, tokensAfter: 0 })),
        totalTokens: 0,
      },
      { ...plan, hash: "other" },
      { ...plan, checksum: undefined },
      {},
      { decisions: null },
      null,
      "plan",
      unreadable({ ...plan }, "decisions"),
      unreadable({ ...plan }, "hash"),
      unreadable({ ...plan }, "window"),
      { ...plan, window: unreadable({ ...plan.window }, "contextTokens") },
      { ...plan, toJSON: () => plan },
    ];
    for (const damaged of damages) {
      const previousPlan = damaged as typeof plan;
      const fitted = fitToWindow(added, { ...options, previousPlan });
      expect(fitted.plan.continued).toEqual({ entryCount: 0, stoppedBy: "damaged" });
      expect(fitted.entries).toEqual(fitToWindow(added, options).entries);
    }
    for (const hashes of [[], undefined, null, {}, plan.hashes.slice(1), [...plan.hashes, ""]]) {
      const previousPlan = { ...plan, hashes } as typeof plan;
      const fitted = fitToWindow(added, { ...options, previousPlan });
      expect(fitted.plan.continued).toEqual({ entryCount: 0, stoppedBy: "damaged" });
    }
  });

  it("hashes an entry that is another object once, and the same object never", () => {
    let reads = 0;
    const watched = chat.map((entry) => {
      // Only what hashes an entry reads all of its fields.
      const get = (): undefined => {
        reads += 1;
      };
      return Object.defineProperty({ ...entry }, "metadata", { get, enumerable: true });
    });
    const options = {
      window: { contextTokens: 1000 },
      counter: { ...counter, countEntry: () => 10 },
    };
    const { plan } = fitToWindow(watched, options);
    const again = fitToWindow([...watched, question], { ...options, previousPlan: plan });
    expect(again.plan.continued).toEqual({ entryCount: 8 });
    expect(reads).toBe(0);
    const stored = JSON.parse(JSON.stringify(plan));
    expect(reads).toBe(8);
    fitToWindow([...watched, question], { ...options, previousPlan: stored });
    expect(reads).toBe(8);
  });
});

describe("applyPlan", () => {
  it("refuses entries whose content is another than the plan's", () => {
    const { plan } = fitToWindow(chat, { window: { contextTokens: 45 }, counter });
    const edited = chat.with(6, userMessage({ id: "u4", content: "another" }));
    expect(errorOf(() => applyPlan(edited, plan))?.code).toBe("INVALID_OPTION");
    expect(applyPlan(structuredClone(chat), plan)).toEqual(chat.slice(4));
  });
});

describe("fitToWindow with names for contents", () => {
  const contentName = ({ id }: HistoryEntry): string => id;
  const options = { window: { contextTokens: Infinity }, counter, contentName };
  const grown = [...chat, question];

  it("goes on from a stored plan by the names alone", () => {
    const { plan } = fitToWindow(chat, options);
    const previousPlan = JSON.parse(JSON.stringify(plan));

    expect(plan.hashes).toEqual(chat.map(({ id }) => `=${id}`));
    expect(fitToWindow(grown, { ...options, previousPlan }).plan.continued).toEqual({
      entryCount: chat.length,
    });
    expect(applyPlan(chat, previousPlan, options)).toBe(chat);
  });

  it("does not trust a plan that was made with names where there are none", () => {
    const live = fitToWindow(chat, options).plan;
    const previousPlan = JSON.parse(JSON.stringify(live));
    const { window } = options;

    for (const earlier of [live, previousPlan]) {
      const { plan } = fitToWindow(grown, { window, counter, previousPlan: earlier });
      expect(plan.continued).toEqual({ entryCount: 0, stoppedBy: "damaged" });
    }
    expect(errorOf(() => applyPlan(chat, previousPlan))).toMatchObject({ code: "INVALID_OPTION" });
  });

  it("does not take a plan that was made without names for one with them", () => {
    const live = fitToWindow(chat, { window: options.window, counter }).plan;
    for (const previousPlan of [live, JSON.parse(JSON.stringify(live))]) {
      const { plan } = fitToWindow(grown, { ...options, previousPlan });
      expect(plan.continued).toEqual({ entryCount: 0, stoppedBy: "change" });
    }
  });

  it("hashes what has no name, and takes no hash for a name", () => {
    const [first, ...others] = chat;
    if (first === undefined) return expect.unreachable();
    const plain = fitToWindow(chat, { window: options.window, counter }).plan;
    const some = (entry: HistoryEntry) => (entry.id === first.id ? undefined : entry.id);
    const { plan } = fitToWindow(chat, { ...options, contentName: some });
    const previousPlan = JSON.parse(JSON.stringify(plan));
    const edited = [userMessage({ id: first.id, content: "other" }), ...others];

    expect(plan.hashes[0]).toBe(plain.hashes[0]);
    const fitted = fitToWindow(edited, { ...options, contentName: some, previousPlan });
    expect(fitted.plan.continued?.stoppedBy).toBe("change");
    const named = (): string => plain.hashes[0] ?? "";
    const taken = fitToWindow([first], { ...options, contentName: named, previousPlan: plain });
    expect(taken.plan.continued?.stoppedBy).toBe("change");
  });
});

/** Makes a field of an object throw when it is read. */
function unreadable(object: object, field: string): object {
  return Object.defineProperty(object, field, {
    enumerable: true,
    get: () => {
      throw new Error("unreadable");
    },
  });
}
