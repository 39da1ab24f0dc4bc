import {
  action,
  observation,
  summary,
  systemMessage,
  userMessage,
  assistantMessage,
} from "@agent-history/core";
import type { HistoryEntry } from "@agent-history/core";
import { isHistoryError } from "@agent-history/core";
import { fitToWindow, planReduction, prefixStability } from "@agent-history/reducer";
import { lexicalScorer } from "@agent-history/reducer/lexical";
import {
  arbitraryBrokenHistory,
  arbitraryHistory,
  deepFreeze,
  lawRuns,
} from "@agent-history/testkit";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { inspectPlans } from "./inspect-plans.ts";
import type { CallColumn, CellState } from "./inspector-data.ts";
import { lengthCounter } from "./length-counter.ts";

/** Without estimates of media, which a plan caps. */
const counter = { ...lengthCounter(), countMedia: () => [] };
const at = { createdAtMs: 0 };

describe("inspectPlans", () => {
  it("says what became of the reasoning, and of what the provider summarized", () => {
    const log = Array.from({ length: 12 }, (_, nth) => [
      userMessage({ ...at, id: `u${nth}`, content: "Which flights?" }),
      assistantMessage({
        ...at,
        id: `a${nth}`,
        content: [
          { type: "reasoning", text: "The later one. ".repeat(10) },
          { type: "text", text: "At noon. ".repeat(20) },
        ],
      }),
    ]).flat();
    const reasoning = { binds: "refuse", reader: "claude-opus-5-5" } as const;
    const options = { counter, window: { contextTokens: 950, reasoning } };
    const { plan: first } = fitToWindow(log.slice(0, 17), options);
    const next = { ...options, previousPlan: first, compaction: "provider" } as const;
    const { plan: cut, compaction } = fitToWindow(log.slice(0, 23), next);
    const { before = "" } = compaction ?? {};
    const written = summary({
      ...at,
      id: "c",
      content: "So far.",
      strategy: "provider",
      trust: "tool",
    });
    const { plan: compacted } = fitToWindow(log.slice(0, 23), {
      ...next,
      compacted: { before, summary: written },
    });
    const { calls, problems, entries } = inspectPlans({
      plans: [first, cut, compacted],
      entries: log,
    });
    expect(problems).toEqual([]);
    expect(calls.map((call) => call.reasoning?.valid.blocks)).toEqual([
      first.reasoning?.valid.blocks,
      0,
      compacted.reasoning?.valid.blocks,
    ]);
    const reasons = (call?: CallColumn) =>
      call?.decisions.flatMap((one) => one.withoutReasoning ?? []);
    expect(reasons(calls[1])).toContain("prefix");
    expect(reasons(calls[2])).toEqual([]);
    const idsOf = (state: CellState) => rowsOf(calls[2], state).map((row) => entries[row]?.id);
    const end = log.findIndex(({ id }) => id === before);
    expect(idsOf("summarized")).toEqual(log.slice(0, end).map(({ id }) => id));
    const kept = ["c", ...log.slice(end, 23).map(({ id }) => id)];
    expect(new Set(idsOf("kept"))).toEqual(new Set(kept));
  });

  it("gives each entry of a view one cell, and its decisions add up to the prompt (L9)", () => {
    fc.assert(
      fc.property(
        arbitraryHistory({ flat: true }),
        fc.double({ min: 0.1, max: 1.1, noNaN: true }),
        (history, share) => {
          const plan = planOf(deepFreeze(history), share);
          fc.pre(plan !== undefined);
          const { calls, problems, entries } = inspectPlans({ plans: [plan], entries: history });
          const [call] = calls;

          expect(problems).toEqual([]);
          expect(entries).toEqual(history);
          expect(rowsOf(call)).toEqual(history.map((_, row) => row));
          const sum = (call?.decisions ?? []).reduce(
            (all, { tokensAfter }) => all + tokensAfter,
            plan.requestTokens,
          );
          expect(sum).toBe(plan.totalTokens);
        },
      ),
      { numRuns: lawRuns(200) },
    );
  });

  it("draws no row twice and leaves none out where a history is broken", () => {
    fc.assert(
      fc.property(arbitraryBrokenHistory(), (entries) => {
        const plan = planOf(entries, 0.6);
        fc.pre(plan !== undefined);
        const { calls, problems, entries: rows } = inspectPlans({ plans: [plan], entries });

        expect(problems).toEqual([]);
        const drawn = rowsOf(calls[0]);
        expect(new Set(drawn).size).toBe(drawn.length);
        const ids = new Set(drawn.map((row) => rows[row]?.id));
        expect(entries.every(({ id }) => ids.has(id))).toBe(true);
      }),
      { numRuns: lawRuns(200) },
    );
  });

  it("counts as the same what prefixStability counts, from call to call", () => {
    fc.assert(
      fc.property(arbitraryHistory({ flat: true }), fc.nat(), (history, cut) => {
        const early = history.slice(0, 1 + (cut % Math.max(1, history.length)));
        const first = fitOf(early, 0.7);
        const second = first && fitOf(history, 0.5, first.plan);
        fc.pre(first !== undefined && second !== undefined);
        fc.pre(first.plan.repairs.length + second.plan.repairs.length === 0);
        const { calls } = inspectPlans({
          plans: [{ plan: first.plan, entries: early }, second.plan],
          entries: history,
          counter,
        });
        const change = calls[1]?.change;
        const { tokens } = prefixStability(first.entries, second.entries, counter);

        expect(change?.sameTokens).toBe(tokens + second.plan.requestTokens);
        const shorter = Math.min(first.plan.totalTokens, second.plan.totalTokens);
        expect(change?.sentAgainTokens).toBe(
          change?.firstRow === undefined
            ? 0
            : Math.max(0, shorter - tokens - second.plan.requestTokens),
        );
      }),
      { numRuns: lawRuns(200) },
    );
  });

  it("names the step and the reason of what was cut, and shows what is left of it", () => {
    const history = loop(6);
    const plan = planOf(history, 0.5);
    const { calls } = inspectPlans({ plans: plan ? [plan] : [], entries: history });
    const [call] = calls;
    const states = new Set(call?.decisions.map(({ state }) => state));

    expect([...states].toSorted()).toEqual(["cleared", "kept", "shrunk"]);
    const cut = call?.decisions.find(({ state }) => state === "cleared");
    expect(cut?.step).toBe("clear-old-results");
    expect(cut?.reason).not.toBe("");
    expect(
      call?.edits.every(({ row, text }) => text.length < String(contentOf(history[row])).length),
    ).toBe(true);
  });

  it("begins the difference at the entry that was cut, with the plan's reason, the provider's and the price", () => {
    const history = loop(6);
    const first = fitOf(history, 2);
    const window = { contextTokens: Math.ceil(sizeOf(history) * 0.5) };
    const second = planReduction(history, { counter, window, previousPlan: first?.plan });
    const call = { model: "claude-sonnet-4-5", providerReason: "messages_changed" };
    const { calls } = inspectPlans({
      plans: [{ plan: first?.plan ?? second }, { plan: second, ...call }],
      entries: history,
    });
    const { change } = calls[1] ?? {};

    expect(change?.firstRow).toBe(3);
    expect(change?.reasons).toEqual(["plan: another window", "provider: messages_changed"]);
    // The second prompt is the shorter one: no more than it holds was sent again.
    const lost = second.totalTokens - (change?.sameTokens ?? 0);
    expect(change?.sentAgainTokens).toBe(lost);
    expect(change?.costUsd).toBeCloseTo((lost * 2.7) / 1e6, 12);
  });

  it("draws instructions of one id that say something else for each agent as rows of their own", () => {
    const log = [userMessage({ ...at, id: "q", content: "Why?" })];
    const asked = ["You plan.", "You read.", "You plan."].map((content) => [
      systemMessage({ ...at, id: "system", content }),
      ...log,
    ]);
    const plans = asked.map((entries) => ({
      entries,
      plan: planReduction(entries, { counter, window: { contextTokens: 1000 } }),
    }));
    const { entries, calls } = inspectPlans({ plans, entries: log });

    expect(entries.map((entry) => "content" in entry && entry.content)).toEqual([
      "You plan.",
      "You read.",
      "Why?",
    ]);
    const drawnRows = ({ runs }: CallColumn): readonly number[] => runs.map(([row]) => row);
    expect(calls.map(drawnRows)).toEqual([
      [0, 2],
      [1, 2],
      [0, 2],
    ]);
    // Calls of one agent: each begins with other instructions than the one before.
    expect(calls.map(({ change }) => change?.firstRow)).toEqual([undefined, 0, 1]);
    expect(calls[1]?.change?.what).toBe("the content of the entry changed");
  });

  it("joins the views of several agents and their instructions in the rows of one log", () => {
    const log = [
      userMessage({ ...at, id: "q", content: "Why?" }),
      assistantMessage({ ...at, id: "a", content: "So." }),
    ];
    const withInstructions = (id: string, entries: readonly HistoryEntry[]) => [
      systemMessage({ ...at, id, content: "Be brief." }),
      ...entries,
    ];
    const views = [withInstructions("s1", log), withInstructions("s2", log.slice(0, 1))];
    const { entries, calls } = inspectPlans({
      plans: views.map((view) => ({ entries: view, plan: planReduction(view, wide) })),
      entries: log,
    });

    expect(entries.map(({ id }) => id)).toEqual(["s1", "q", "a"]);
    expect(calls.map((call) => rowsOf(call))).toEqual([
      [0, 1, 2],
      [0, 1],
    ]);
  });

  it("shows as recalled what a prompt quotes of what was dropped", () => {
    const words = [
      "boiler",
      "voucher",
      "tomato",
      "harbor",
      "violin",
      "glacier",
      "lantern",
      "pepper",
    ];
    const log = words.flatMap((word, nth) => [
      userMessage({ ...at, id: `q${nth}`, content: `Tell me about the ${word}. `.repeat(20) }),
      assistantMessage({ ...at, id: `a${nth}`, content: `The ${word} is old. `.repeat(20) }),
    ]);
    const options = { counter, scorer: lexicalScorer(), window: { contextTokens: 900 } };
    const first = planReduction(log, options);
    const asked = [...log, userMessage({ ...at, id: "q", content: "Is the boiler old?" })];
    const plan = planReduction(asked, { ...options, previousPlan: first });
    const [call] = inspectPlans({ plans: [plan], entries: asked }).calls;
    const recalled = rowsOf(call, "recalled").map((row) => asked[row]?.id);

    expect(recalled).toContain("q0");
    const blocks = [plan.head, ...(plan.recalls ?? [])];
    expect(recalled).toEqual(
      blocks.flatMap((block) => block?.quotes ?? []).toSorted(byIndex(asked)),
    );
  });

  it("says which plan was made for other entries, and draws nothing of it", () => {
    const plan = planReduction(loop(2), wide);
    const { calls, problems } = inspectPlans({ plans: [plan], entries: loop(3).slice(2) });

    expect(calls[0]?.runs).toEqual([]);
    expect(problems).toEqual([
      "Call 1: its plan was made for other entries. Pass the entries of that fit as `entries`.",
    ]);
  });
});

const wide = { counter, window: { contextTokens: 1_000_000 } };

function loop(results: number): readonly HistoryEntry[] {
  return [
    systemMessage({ ...at, id: "s", content: "You fix code." }),
    userMessage({ ...at, id: "q", content: "Fix the rounding." }),
    ...Array.from({ length: results }, (_, nth) => [
      action({
        ...at,
        id: `call-${nth}`,
        toolCalls: [{ id: `c${nth}`, name: "read", arguments: "{}" }],
      }),
      observation({
        ...at,
        id: `result-${nth}`,
        callId: `c${nth}`,
        toolName: "read",
        outcome: "success",
        content: `${nth} x = 1; `.repeat(200),
      }),
    ]).flat(),
    assistantMessage({ ...at, id: "a", content: "Fixed." }),
    userMessage({ ...at, id: "q2", content: "Now the tests." }),
  ];
}

function contentOf(entry: HistoryEntry | undefined): unknown {
  return entry !== undefined && "content" in entry ? entry.content : undefined;
}

function sizeOf(history: readonly HistoryEntry[]): number {
  return history.reduce((sum, entry) => sum + counter.countEntry(entry), counter.countRequest());
}

function fitOf(
  history: readonly HistoryEntry[],
  share: number,
  previousPlan?: ReturnType<typeof planReduction>,
) {
  try {
    const contextTokens = Math.max(1, Math.ceil(sizeOf(history) * share));
    return fitToWindow(history, { counter, window: { contextTokens }, previousPlan });
  } catch (error) {
    if (isHistoryError(error, "WINDOW_TOO_SMALL") || isHistoryError(error, "DUPLICATE_ID"))
      return undefined;
    throw error;
  }
}

function planOf(history: readonly HistoryEntry[], share: number) {
  return fitOf(history, share)?.plan;
}

function rowsOf(call: CallColumn | undefined, state?: CellState): readonly number[] {
  return (call?.runs ?? []).flatMap(([row, rows, index]) => {
    const isWanted = state === undefined || call?.decisions[index]?.state === state;
    return isWanted ? Array.from({ length: rows }, (_, nth) => row + nth) : [];
  });
}

function byIndex(entries: readonly HistoryEntry[]): (one: string, other: string) => number {
  const indexes = new Map(entries.map(({ id }, index) => [id, index]));
  return (one, other) => (indexes.get(one) ?? 0) - (indexes.get(other) ?? 0);
}
