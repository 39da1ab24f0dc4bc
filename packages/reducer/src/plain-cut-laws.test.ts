import {
  action,
  assistantMessage,
  errorEntry,
  isHistoryError,
  observation,
  systemMessage,
  userMessage,
} from "@agent-history/core";
import type { Agent, HistoryEntry, Reduction, ReductionPlan } from "@agent-history/core";
import { countWork, lawRuns } from "@agent-history/testkit";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { counter } from "../test-support/character-counter.ts";
import { defaultSteps } from "./default-steps.ts";
import type { FitOptions } from "./fit-options.ts";
import { fitToWindow } from "./fit-to-window.ts";

/** What seldom stands in a turn, and makes it one that is not plain. */
const ODDITIES = [
  "pin",
  "sources",
  "media",
  "agent",
  "gap",
  "silence",
  "turnId",
  "system",
] as const;
const length = fc.oneof(
  { weight: 6, arbitrary: fc.nat({ max: 40 }) },
  { weight: 6, arbitrary: fc.nat({ max: 200 }) },
  { weight: 1, arbitrary: fc.constantFrom(0, 400, 1500) },
);
const turn = fc.record({
  requests: fc.array(length, { minLength: 1, maxLength: 2 }),
  /** The lengths of the results of each round. */
  rounds: fc.array(fc.array(length, { minLength: 1, maxLength: 3 }), { maxLength: 3 }),
  answer: length,
  oddity: fc.oneof(
    { weight: 100, arbitrary: fc.constant(undefined) },
    { weight: 1, arbitrary: fc.constantFrom(...ODDITIES) },
  ),
});
type Turn = typeof turn extends fc.Arbitrary<infer Value> ? Value : never;
const fitOptions = fc.record(
  {
    keepOpening: fc.constantFrom(true, false, 0.01, 0.3),
    lowWatermark: fc.constantFrom(0.1, 0.4, 0.8, 1),
    maxResultShare: fc.constantFrom(0.2, 1),
  },
  { requiredKeys: [] },
);

/** By how many entries the history grows, and which of the earlier plans is continued. */
const growth = fc.record({
  by: fc.integer({ min: 1, max: 12 }),
  back: fc.constantFrom(1, 1, 1, 1, 2, 3),
});

describe("fitToWindow without steps of its own", () => {
  it("cuts plain turns as the default steps do, whatever was cut before and is remembered of it", () => {
    let cuts = 0;
    fc.assert(
      fc.property(
        fc.array(turn, { minLength: 5, maxLength: 40 }),
        fc.integer({ min: 150, max: 4000 }),
        fitOptions,
        fc.boolean(),
        fc.array(growth, { minLength: 5, maxLength: 40 }),
        (turns, contextTokens, more, isNamed, steps) => {
          const all = historyOf(turns, isNamed);
          const plans: (ReductionPlan | undefined)[] = [];
          let shown = 0;
          for (const { by, back } of steps) {
            shown = Math.min(all.length, shown + by);
            const entries = all.slice(0, shown);
            const previousPlan = plans.at(-back);
            const options = { ...more, window: { contextTokens }, counter, previousPlan };
            const own = attempt(entries, options);
            expect(own).toEqual(attempt(entries, { ...options, steps: defaultSteps() }));
            expect(own).toEqual(
              attempt(entries, { ...options, previousPlan: stored(previousPlan) }),
            );
            if (own?.plan.continued?.stoppedBy === "cut") cuts += 1;
            plans.push(own?.plan);
          }
        },
      ),
      { numRuns: lawRuns(300) },
    );
    expect(cuts).toBeGreaterThan(100);
  });

  it("cuts plain turns with a third of the work of the default steps", () => {
    const plain = { requests: [20], rounds: [[30], [30]], answer: 20, oddity: undefined };
    const all = historyOf(
      Array.from({ length: 100 }, () => plain),
      false,
    );
    const options = { window: { contextTokens: 3000 }, counter };
    const before = all.slice(0, 120);
    const { plan } = fitToWindow(before, options);
    const workOf = (more: Partial<FitOptions>): number =>
      countWork(() => fitToWindow(all, { ...options, ...more, previousPlan: plan }));

    expect(workOf({}) * 3).toBeLessThan(workOf({ steps: defaultSteps() }));
  });

  it("counts at a cut what came since the cut before, and nothing that was kept by it", () => {
    const plain = { requests: [20], rounds: [], answer: 20, oddity: undefined };
    const all = historyOf(
      Array.from({ length: 300 }, () => plain),
      false,
    );
    let asked = new Set<HistoryEntry>();
    const watching: typeof counter = {
      ...counter,
      countEntry: (entry, viewer) => {
        asked.add(entry);
        return counter.countEntry(entry, viewer);
      },
    };
    const options = { window: { contextTokens: 3000 }, counter: watching };
    let previousPlan: ReductionPlan | undefined;
    const cutAt: number[] = [];
    for (let shown = 1; cutAt.length < 3 && shown <= all.length; shown += 2) {
      asked = new Set();
      const given = all.slice(0, shown);
      previousPlan = fitToWindow(given, { ...options, previousPlan }).plan;
      if (previousPlan.continued?.stoppedBy === "cut") cutAt.push(shown);
    }
    const [, before = 0, last = 0] = cutAt;

    expect(last).toBeGreaterThan(before);
    // What was newest then may have grown.
    expect(asked).toEqual(new Set(all.slice(before - 1, last)));
  });

  it("looks in what is gone no further back than to the request before what is kept", () => {
    const plain = { requests: [20], rounds: [], answer: 20, oddity: undefined };
    const turns = Array.from({ length: 500 }, () => plain);
    let looks = 0;
    const all = historyOf(turns, false).map((entry, index) => {
      const { type } = entry;
      const get = (): string => {
        if (index < 700) looks += 1;
        return type;
      };
      return Object.defineProperty({ ...entry }, "type", { get, enumerable: true });
    });
    const options = { window: { contextTokens: 3000 }, counter };
    let { plan } = fitToWindow(all.slice(0, 901), options);
    for (let shown = 903; plan.continued?.stoppedBy !== "cut"; shown += 2) {
      looks = 0;
      plan = fitToWindow(all.slice(0, shown), { ...options, previousPlan: plan }).plan;
    }

    // The instructions are kept, and asked for what they are.
    expect(looks).toBeLessThan(20);
  });
});

function historyOf(turns: readonly Turn[], isNamed: boolean): readonly HistoryEntry[] {
  return [
    systemMessage({ id: "s", content: "Help." }),
    ...turns.flatMap((one, nth) => entriesOf(one, nth, isNamed)),
  ];
}

function entriesOf(
  { requests, rounds, answer, oddity }: Turn,
  nth: number,
  isNamed: boolean,
): readonly HistoryEntry[] {
  const name = oddity === "turnId" ? "another" : `t${nth}`;
  const agent: Agent = { id: oddity === "agent" ? "w2" : "w1", role: "worker" };
  const fields = { ...((isNamed || oddity === "turnId") && { turnId: name }) };
  const text = (characters: number): string => "x".repeat(characters);
  const pinned = oddity === "pin" && { pinned: true };
  return [
    ...(oddity === "system" ? [systemMessage({ id: `s${nth}`, content: "Mind." })] : []),
    ...requests.flatMap((characters, request) => [
      ...(oddity === "gap"
        ? [errorEntry({ id: `e${nth}-${request}`, ...fields, content: "No." })]
        : []),
      userMessage({ id: `u${nth}-${request}`, ...fields, ...pinned, content: text(characters) }),
    ]),
    ...rounds.flatMap((results, round) => [
      action({
        id: `c${nth}-${round}`,
        ...fields,
        agent,
        toolCalls: results.map((_, call) => ({ id: `call${call}`, name: "read", arguments: "{}" })),
        content: text(round * 7),
      }),
      ...results.map((characters, call) =>
        observation({
          id: `o${nth}-${round}-${call}`,
          ...fields,
          agent,
          callId: `call${call}`,
          toolName: "read",
          outcome: "success",
          content:
            oddity === "media"
              ? [{ type: "image", source: { kind: "url", url: "https://example.org/a.png" } }]
              : text(characters),
          ...(oddity === "sources" && {
            sources: [{ id: "d", number: nth + 1, text: text(characters) }],
          }),
        }),
      ),
    ]),
    ...(oddity === "silence"
      ? []
      : [assistantMessage({ id: `a${nth}`, ...fields, agent, content: text(answer) })]),
  ];
}

function attempt(entries: readonly HistoryEntry[], options: FitOptions): Reduction | undefined {
  try {
    return fitToWindow(entries, options);
  } catch (error) {
    if (isHistoryError(error, "WINDOW_TOO_SMALL")) return undefined;
    throw error;
  }
}

/** A plan as it comes out of a store: nothing is remembered with it. */
function stored(plan: ReductionPlan | undefined): ReductionPlan | undefined {
  if (plan === undefined) return undefined;
  const read: ReductionPlan = JSON.parse(JSON.stringify(plan));
  return read;
}
