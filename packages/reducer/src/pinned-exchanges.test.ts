import { action, assistantMessage, memory, observation, userMessage } from "@agent-history/core";
import type { HistoryEntry, ReductionPlan } from "@agent-history/core";
import { lawRuns } from "@agent-history/testkit";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { errorOf, options } from "../test-support/character-counter.ts";
import { fitToWindow } from "./fit-to-window.ts";

const call = { id: "job", name: "run", arguments: "{}" };
const result = (fields: { readonly content: string; readonly pinned?: true }): HistoryEntry =>
  observation({ id: "o", callId: "job", toolName: "run", outcome: "success", ...fields });
const talk = Array.from({ length: 60 }, (_, nth) => {
  const fields = { id: `m${nth}`, content: "y".repeat(60) };
  return nth % 2 === 0 ? userMessage(fields) : assistantMessage(fields);
});

describe("fitToWindow, with pins", () => {
  it("brings the call of a pinned result, however far back it lies", () => {
    const entries = [
      userMessage({ id: "u0", content: "start the job" }),
      action({ id: "x", toolCalls: [call] }),
      ...talk,
      result({ content: "the job is done", pinned: true }),
      userMessage({ id: "q", content: "and?" }),
    ];
    const { entries: fitted, plan } = fitToWindow(entries, options(1000));
    const ids = fitted.map(({ id }) => id);
    expect(ids.indexOf("o")).toBe(ids.indexOf("x") + 1);
    expect(ids).toContain("x");
    expect(plan.repairs.map(({ kind }) => kind)).toEqual(["drawn-together"]);
  });

  it("takes a late result that nobody pinned for what it is, and no orphan", () => {
    const entries = [
      action({ id: "x", toolCalls: [call] }),
      ...talk,
      result({ content: "the job is done" }),
      userMessage({ id: "q", content: "and?" }),
    ];
    const { plan } = fitToWindow(entries, options(300));
    expect(plan.repairs).toEqual([{ kind: "drawn-together", entryId: "x" }]);
  });

  it("shortens a result of a pinned call as a last resort only", () => {
    const entries = [
      action({ id: "x", toolCalls: [call], pinned: true }),
      result({ content: "r".repeat(400) }),
      ...talk.slice(0, 8),
    ];
    const whole = fitToWindow(entries, { ...options(600), maxResultShare: 1 });
    expect(whole.entries).toContain(entries[1]);
    const less = fitToWindow(entries, { ...options(300), maxResultShare: 1 });
    expect(less.plan.totalTokens).toBeLessThanOrEqual(300);
    expect(less.plan.totalTokens).toBeGreaterThan(200);
  });

  it("brings the call of a pinned result that came once its call, taken for lost, was dropped", () => {
    const before = [
      userMessage({ id: "u0", content: "s".repeat(200) }),
      action({ id: "x", toolCalls: [call] }),
      assistantMessage({ id: "a0", content: "started" }),
      userMessage({ id: "u1", content: "what else?" }),
      assistantMessage({ id: "a1", content: "y".repeat(60) }),
      userMessage({ id: "u2", content: "q" }),
    ];
    const first = fitToWindow(before, options(120));
    expect(first.plan.repairs).toEqual([{ kind: "added-result", entryId: "x/0/lost" }]);
    const more = [
      assistantMessage({ id: "a2", content: "ok" }),
      result({ content: "done", pinned: true }),
    ];
    const after = [...before, ...more, userMessage({ id: "u3", content: "and?" })];
    const { entries } = fitToWindow(after, { ...options(120), previousPlan: first.plan });
    expect(entries.map(({ id }) => id)).toContain("o");
  });

  it("keeps a pinned answer of the opening word for word beside a memory of its turn", () => {
    const pinned = assistantMessage({ id: "p", content: "p".repeat(160), pinned: true });
    const more = [1, 2, 3].flatMap((turn) => [
      userMessage({ id: `u${turn}`, content: "q".repeat(80) }),
      assistantMessage({ id: `a${turn}`, content: "a".repeat(80) }),
    ]);
    const fact = memory({ id: "m", content: "m".repeat(40), pinned: true });
    const question = userMessage({ id: "q", content: "q".repeat(30) });
    const asked = userMessage({ id: "u0", content: "q".repeat(45) });
    const entries = [asked, fact, pinned, ...more, question];
    for (let window = 750; window > 290; window -= 5) {
      const fitted = fitToWindow(entries, { ...options(window), firstRequestShare: 0.1 });
      expect(fitted.entries).toContain(pinned);
    }
  });

  it("gives the same answer with the previous plan and after a restart without it", () => {
    const turn = fc.record({
      result: fc.nat({ max: 2000 }),
      answer: fc.nat({ max: 100 }),
      pin: fc.constantFrom("none", "none", "action", "result", "answer"),
    });
    fc.assert(
      fc.property(
        fc.array(turn, { minLength: 1, maxLength: 8 }),
        fc.integer({ min: 100, max: 3000 }),
        fc.constantFrom(0.3, 0.5, 1),
        (turns, contextTokens, maxResultShare) => {
          const log = turns.flatMap((one, nth) => turnOf(nth, one));
          const given = { ...options(contextTokens), maxResultShare };
          let previousPlan: ReductionPlan | undefined;
          for (let end = 1; end <= log.length; end++) {
            const sofar = log.slice(0, end);
            const again = errorOf(() => fitToWindow(sofar, given));
            const error = errorOf(() => {
              const before = previousPlan === undefined ? {} : { previousPlan };
              previousPlan = fitToWindow(sofar, { ...given, ...before }).plan;
            });
            expect(error?.code).toBe(again?.code);
          }
        },
      ),
      { numRuns: lawRuns(60) },
    );
  });
});

function turnOf(
  nth: number,
  one: { readonly result: number; readonly answer: number; readonly pin: string },
): readonly HistoryEntry[] {
  const pinned = (what: string): { readonly pinned?: true } =>
    one.pin === what ? { pinned: true } : {};
  const fields = { callId: "job", toolName: "run", outcome: "success" } as const;
  const content = "r".repeat(one.result);
  return [
    userMessage({ id: `u${nth}`, content: "q".repeat(10) }),
    action({ id: `x${nth}`, toolCalls: [call], ...pinned("action") }),
    observation({ id: `o${nth}`, ...fields, content, ...pinned("result") }),
    assistantMessage({ id: `a${nth}`, content: "a".repeat(one.answer), ...pinned("answer") }),
  ];
}
