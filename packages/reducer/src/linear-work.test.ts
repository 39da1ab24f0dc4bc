import { summary } from "@agent-history/core";
import type {
  ActionEntry,
  HistoryEntry,
  ObservationEntry,
  ReductionPlan,
  TokenCounter,
} from "@agent-history/core";
import { describe, expect, it } from "vitest";

import { countWork } from "../../testkit/test-support/count-work.ts";
import { fitToWindow } from "./fit-to-window.ts";
import type { ReductionStep } from "./reduction-step.ts";

const counter: TokenCounter = {
  id: "test",
  countText: (text) => text.length,
  countEntry: (entry) => 4 + JSON.stringify(entry).length,
  countRequest: () => 3,
};

const question: HistoryEntry = { type: "user_message", id: "u", createdAtMs: 0, content: "Why?" };
const next: HistoryEntry = { ...question, id: "u2" };
const answer: HistoryEntry = { ...question, type: "assistant_message", id: "m" };

describe("fitToWindow", () => {
  it.each<[string, (count: number) => readonly HistoryEntry[]]>([
    ["uploads", (count) => [...uploads(count), question]],
    ["uploads of earlier turns", (count) => [...uploads(count), question, answer, next]],
    ["sources of one result", (count) => [question, action(1), results(1, count)].flat()],
    ["old sources", (count) => [question, action(1), results(1, count), answer, next].flat()],
    ["results of one action", (count) => [question, action(count), results(count)].flat()],
    ["old results", (count) => [question, action(count), results(count), answer, next].flat()],
    ["parallel agents", (count) => [question, ...agents(count)]],
    ["parallel agents of an old turn", (count) => [question, ...agents(count), answer, next]],
    ["requests in a row", (count) => [...uploads(count).map(asMessage), answer, next]],
    ["consecutive user messages", (count) => uploads(count).map(asMessage)],
    ["turns", (count) => uploads(count).flatMap((one) => [asMessage(one), answerTo(one)])],
  ])("does work in proportion to the number of %s", (_, make) => {
    for (const share of [0, 0.3, 0.9]) {
      const work = (count: number): number => {
        const history = make(count);
        const whole = history.reduce((sum, entry) => sum + counter.countEntry(entry), 0);
        const window = { contextTokens: 1000 + Math.floor(whole * share) };
        return countWork(() => tryToFit(history, window)) / count;
      };

      expect(work(1500) / work(300), `share ${share}`).toBeLessThan(2);
    }
  });
});

describe("a call that continues a plan", () => {
  const pinned: HistoryEntry = { ...question, pinned: true };
  const chat = (count: number): readonly HistoryEntry[] =>
    uploads(count)
      .flatMap((one) => [asMessage(one), answerTo(one)])
      .with(0, pinned);
  const loop = (count: number): readonly HistoryEntry[] => [
    question,
    ...results(count).flatMap((result, nth) => [action(1, nth), result]),
  ];

  it.each<[string, (count: number) => readonly HistoryEntry[]]>([
    ["a chat whose first request is pinned", chat],
    ["one long turn", loop],
  ])("looks at what it keeps of %s, however long that is", (_, make) => {
    const ten = { ...counter, countEntry: () => 10 };
    const looks = (count: number): readonly number[] => {
      const whole = make(count);
      let looked = 0;
      const get = (target: HistoryEntry[], key: string, self: unknown): unknown => {
        if (/^\d+$/u.test(key)) looked += 1;
        return Reflect.get(target, key, self);
      };
      let previousPlan: ReductionPlan | undefined;
      return Array.from({ length: 20 }, (__, nth) => {
        const log = whole.slice(0, whole.length - 40 + 2 * nth);
        const options = { window: { contextTokens: 203 }, counter: ten };
        looked = 0;
        const { plan } = fitToWindow(new Proxy(log, { get }), {
          ...options,
          ...(previousPlan && { previousPlan }),
        });
        previousPlan = plan;
        return looked;
      }).slice(1);
    };

    expect(looks(1000)).toEqual(looks(100));
  });
});

describe("a summary of many requests in a row", () => {
  it("does work in proportion to their number", () => {
    const work = (count: number): number => {
      const history = uploads(count).map(asMessage);
      const whole = history.reduce((sum, entry) => sum + counter.countEntry(entry), 0);
      const window = { contextTokens: Math.floor(whole * 0.8) };
      const fit = (): unknown =>
        fitToWindow([...history, answer, next], { window, counter, steps: [summing] });
      return countWork(fit) / count;
    };

    expect(work(1500) / work(300)).toBeLessThan(2);
  });
});

/** Puts one summary in place of all earlier turns. */
const summing: ReductionStep = {
  name: "summing",
  propose: (units) => [
    {
      kind: "summarize",
      units: units.filter(({ isOfThisTurn }) => !isOfThisTurn),
      summary: summary({ content: "So far.", strategy: "test", trust: "tool" }),
      reason: "test",
    },
  ],
};

function tryToFit(history: readonly HistoryEntry[], window: { contextTokens: number }): void {
  try {
    fitToWindow(history, { window, counter });
  } catch {
    // What is needed is more than the window: that was found out too.
  }
}

function uploads(count: number): readonly HistoryEntry[] {
  return Array.from({ length: count }, (_, nth) => ({
    type: "attachment",
    id: `f${nth}`,
    createdAtMs: nth,
    messageId: "u",
    content: `Page ${nth}. ${"Rome was not built in a day. ".repeat(1 + (nth % 7))}`,
  }));
}

function asMessage(entry: HistoryEntry): HistoryEntry {
  return { type: "user_message", id: entry.id, createdAtMs: 0, content: `To Rome, ${entry.id}.` };
}

function answerTo({ id }: HistoryEntry): HistoryEntry {
  return { type: "assistant_message", id: `${id}-answer`, createdAtMs: 0, content: "Two flights." };
}

function action(count: number, from = 0): ActionEntry {
  const toolCalls = Array.from({ length: count }, (_, nth) => ({
    id: `c${from + nth}`,
    name: "read",
    arguments: "{}",
  }));
  return { type: "action", id: `a${from}`, createdAtMs: 0, toolCalls };
}

function results(count: number, sources = 0): readonly ObservationEntry[] {
  return Array.from({ length: count }, (_, nth) => ({
    type: "observation",
    id: `o${nth}`,
    createdAtMs: nth,
    callId: `c${nth}`,
    toolName: "read",
    outcome: "success",
    content: `It says ${nth}. ${"Rome was not built in a day. ".repeat(1 + (nth % 5))}`,
    ...(sources > 0 && { sources: Array.from({ length: sources }, (__, rank) => source(rank)) }),
  }));
}

function source(rank: number) {
  return { number: rank + 1, id: `s${rank}`, text: "Rome was not built in a day." };
}

function agents(count: number): readonly HistoryEntry[] {
  const agent = (nth: number) => ({ id: `w${nth}`, role: "worker" }) as const;
  return [
    ...Array.from({ length: count }, (_, nth) => ({ ...action(1, nth), agent: agent(nth) })),
    ...results(count).map((result, nth) => ({ ...result, agent: agent(nth) })),
  ];
}
