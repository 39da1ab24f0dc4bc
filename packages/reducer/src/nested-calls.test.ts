import { action, assistantMessage, observation, userMessage } from "@agent-history/core";
import type { HistoryEntry, ReductionPlan } from "@agent-history/core";
import { describe, expect, it } from "vitest";

import { counter, options } from "../test-support/character-counter.ts";
import { expectLaws } from "../test-support/expect-laws.ts";
import { fitToWindow } from "./fit-to-window.ts";

/** A program that the provider runs calls a tool in each of two answers; its own result comes last. */
function program(nth: number): readonly HistoryEntry[] {
  const caller = `program-${nth}`;
  const calls = ["first", "second"].map((name) => ({
    id: `${name}-${nth}`,
    name: "read",
    arguments: "{}",
    callerId: caller,
  }));
  const result = (callId: string, length: number): HistoryEntry =>
    observation({
      id: `result-${callId}`,
      callId,
      toolName: "read",
      outcome: "success",
      content: "r".repeat(length),
    });
  return [
    action({
      id: `x${nth}`,
      toolCalls: [{ id: caller, name: "code", arguments: "{}" }, ...calls.slice(0, 1)],
    }),
    result(`first-${nth}`, 30),
    action({ id: `y${nth}`, toolCalls: calls.slice(1) }),
    result(`second-${nth}`, 30),
    result(caller, 10),
  ];
}

const turn = (nth: number): readonly HistoryEntry[] => [
  userMessage({ id: `u${nth}`, content: "q".repeat(10) }),
  ...program(nth),
  assistantMessage({ id: `a${nth}`, content: "a".repeat(10) }),
];

describe("fitToWindow, with calls made by calls", () => {
  const log = [...turn(1), ...turn(2), userMessage({ id: "u3", content: "q" })];

  it("keeps or drops a program and what it called as one", () => {
    for (let contextTokens = 21; contextTokens < 190; contextTokens++) {
      const { entries, plan } = fitToWindow(log, options(contextTokens));
      expect(plan.repairs).toEqual([]);
      for (const nth of [1, 2]) {
        const ids = new Set(entries.map(({ id }) => id));
        const kept = program(nth).filter(({ id }) => ids.has(id));
        expect([0, 5]).toContain(kept.length);
      }
    }
  });

  it("brings a program that was pinned far back with all that it called", () => {
    const [first, ...others] = program(0);
    const pinned = [
      ...others.slice(0, -1),
      ...others.slice(-1).map((one) => ({ ...one, pinned: true as const })),
    ];
    const entries = [
      ...(first === undefined ? [] : [first]),
      ...Array.from({ length: 30 }, (_, nth) => turn(nth + 1)).flat(),
      ...pinned.slice(1),
      userMessage({ id: "q", content: "and?" }),
    ];
    const ids = fitToWindow(entries, options(400)).entries.map(({ id }) => id);
    expect(ids.slice(ids.indexOf("x0")).slice(0, 5)).toEqual([
      "x0",
      "x0/1/lost",
      "y0",
      "result-second-0",
      "result-program-0",
    ]);
  });

  it("repairs a program with what it called where the results of both are gone since the last call", () => {
    const [calls, , inner, ...results] = program(1);
    const outer = { ...calls, toolCalls: [{ id: "program-1", name: "code", arguments: "{}" }] };
    const called = [userMessage({ id: "u", content: "go" }), outer, inner] as HistoryEntry[];
    const answered = [...called, ...results, assistantMessage({ id: "a", content: "done" })];
    const { plan: previousPlan } = fitToWindow(answered, options(500));
    const rewound = [...called, userMessage({ id: "u2", content: "again" })];
    const fitted = fitToWindow(rewound, { ...options(500), previousPlan });
    expectLaws(rewound, fitted, { window: 500, counter });
    expect(fitted.plan.repairs.map(({ kind }) => kind)).toEqual(["added-result", "added-result"]);
  });

  it("draws a call that was moved to the program that made it, though an earlier plan dropped that", () => {
    const turns = [...turn(1), ...turn(2), ...turn(3)];
    const isInner = ({ id }: HistoryEntry): boolean => id === "y1";
    const rest = turns.filter((entry) => !isInner(entry));
    const moved = [...rest, ...turns.filter(isInner)];
    const ofGone = moved.filter(({ id }) => id !== "x1");
    for (const history of [turns, turns.filter(({ id }) => id !== "result-first-1")]) {
      const { plan: previousPlan } = fitToWindow(history, options(150));
      expect(previousPlan.decisions.some(({ action: { kind } }) => kind === "drop")).toBe(true);
      for (const now of [moved, ofGone]) {
        const fitted = fitToWindow(now, { ...options(150), previousPlan });
        const stored: ReductionPlan = JSON.parse(JSON.stringify(previousPlan));
        expect(fitToWindow(now, { ...options(150), previousPlan: stored })).toEqual(fitted);
        expectLaws(now, fitted, { window: 150, counter });
      }
    }
  });

  it("continues a plan while a program that is no call of its own goes on calling", () => {
    const steps = [1, 2, 3, 4].flatMap((nth) => {
      const toolCalls = [{ id: `c${nth}`, name: "read", arguments: "{}", callerId: "hosted" }];
      const answer = { callId: `c${nth}`, toolName: "read", outcome: "success" } as const;
      return [
        action({ id: `p${nth}`, toolCalls }),
        observation({ id: `r${nth}`, ...answer, content: "r" }),
      ];
    });
    const asked = [...turn(1), userMessage({ id: "u", content: "go" })];
    let previousPlan: ReductionPlan | undefined;
    const continued: (number | undefined)[] = [];
    for (let shown = 0; shown <= steps.length; shown++) {
      const entries = [...asked, ...steps.slice(0, shown)];
      const { plan } = fitToWindow(entries, { ...options(500), previousPlan });
      continued.push(plan.continued?.entryCount);
      previousPlan = plan;
    }
    expect(continued).toEqual([undefined, 8, 9, 10, 11, 12, 13, 14, 15]);
  });

  it("leaves a program open while what it called is waited for", () => {
    const open = [userMessage({ id: "u", content: "go" }), ...program(1).slice(0, 4)];
    const { entries } = fitToWindow(open, options(500));
    expect(entries).toBe(open);
  });
});
