import {
  action,
  assistantMessage,
  isHistoryError,
  observation,
  repairHistory,
  systemMessage,
  userMessage,
} from "@agent-history/core";
import type { HistoryEntry, ReductionPlan, TokenCounter, Viewer } from "@agent-history/core";
import { fitToWindow } from "@agent-history/reducer";
import { arbitraryHistory, lawRuns } from "@agent-history/testkit";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { plainPromptProblems } from "./plain-prompt.ts";

const RUNS = { numRuns: lawRuns(60) };

const counter: TokenCounter = {
  id: "characters",
  countText: (text) => text.length,
  countEntry: (entry) =>
    3 + JSON.stringify([entry.content, "toolCalls" in entry ? entry.toolCalls : []]).length,
  countRequest: () => 0,
};
/** A window from 2% to 100% of the history. */
const share = fc.integer({ min: 2, max: 100 });

describe("fitToWindow", () => {
  it("breaks no rule of a provider that the whole chat keeps", () => {
    fc.assert(
      fc.property(arbitraryLongHistory(), share, (history, percent) => {
        const entries = history.map(unpinned);
        expectNoNewProblem(entries, fitted(entries, percent));
      }),
      RUNS,
    );
  });

  it("breaks no rule of a provider that the whole log of many agents keeps, for each viewer", () => {
    const viewer = fc.constantFrom(undefined, "a", "b");
    fc.assert(
      fc.property(arbitraryHistory(), share, viewer, (history, percent, agentId) => {
        const { entries } = repairHistory(history.map(unpinned));
        fc.pre(entries.some(({ type }) => type === "user_message"));
        const of = agentId === undefined ? {} : { agentId };
        expectNoNewProblem(entries, fitted(entries, percent, { viewer: of }), of);
      }),
      RUNS,
    );
  });

  it("breaks none with the plan of the previous call", () => {
    fc.assert(
      fc.property(arbitraryLongHistory(), share, (history, percent) => {
        const entries = history.map(unpinned);
        let previousPlan: ReductionPlan | undefined;
        for (let end = 1; end <= entries.length; end += 3) {
          const given = entries.slice(0, end);
          const fit = fitted(given, percent, {
            whole: entries,
            ...(previousPlan && { previousPlan }),
          });
          expectNoNewProblem(given, fit);
          previousPlan = fit?.plan;
        }
      }),
      RUNS,
    );
  });
});

/** Histories of many turns, with exchanges and system messages anywhere. */
function arbitraryLongHistory(): fc.Arbitrary<readonly HistoryEntry[]> {
  const length = fc.integer({ min: 1, max: 60 });
  const turn = fc.record({
    question: length,
    results: fc.array(length, { maxLength: 3 }),
    answer: length,
    hasSystem: fc.constantFrom(true, false, false, false),
  });
  return fc
    .array(turn, { maxLength: 25 })
    .map((turns) =>
      turns.flatMap(({ question, results, answer, hasSystem }, nth) => [
        ...(hasSystem ? [systemMessage({ id: `s${nth}`, content: "s" })] : []),
        userMessage({ id: `u${nth}`, content: "q".repeat(question) }),
        ...results.flatMap((result, call) => exchange(`${nth}-${call}`, "r".repeat(result))),
        assistantMessage({ id: `a${nth}`, content: "a".repeat(answer) }),
      ]),
    );
}

function exchange(id: string, content: string): readonly HistoryEntry[] {
  const call = { id: `c${id}`, name: "look", arguments: "{}" };
  return [
    action({ id: `t${id}`, toolCalls: [call] }),
    observation({
      id: `r${id}`,
      actionId: `t${id}`,
      callId: call.id,
      toolName: "look",
      outcome: "success",
      content,
    }),
  ];
}

/** What is pinned stands for itself, and may stand where a template has no place for it. */
function unpinned(entry: HistoryEntry): HistoryEntry {
  const { pinned: _, ...others } = entry;
  return others;
}

interface Fitting {
  readonly viewer?: Viewer;
  readonly previousPlan?: ReductionPlan;
  /** The window is a share of this. Default: of the entries. */
  readonly whole?: readonly HistoryEntry[];
}

function fitted(
  entries: readonly HistoryEntry[],
  percent: number,
  { whole = entries, ...options }: Fitting = {},
): ReturnType<typeof fitToWindow> | undefined {
  const total = whole.reduce((sum, entry) => sum + counter.countEntry(entry), 0);
  const window = { contextTokens: Math.ceil((total * percent) / 100) };
  try {
    return fitToWindow(entries, { window, counter, ...options });
  } catch (error) {
    if (isHistoryError(error, "WINDOW_TOO_SMALL")) return undefined;
    throw error;
  }
}

function expectNoNewProblem(
  before: readonly HistoryEntry[],
  fit: ReturnType<typeof fitToWindow> | undefined,
  viewer?: Viewer,
): void {
  if (fit === undefined || before.some(isBlank)) return;
  const known = new Set(plainPromptProblems(before, viewer));
  // In a log of many agents one role follows itself in more ways than a template has turns for.
  const isOfMany = new Set(before.map(({ agent }) => agent?.id)).size > 1;
  const isNew = (problem: string): boolean =>
    !known.has(problem) && !(isOfMany && problem.startsWith("mistral"));
  expect(plainPromptProblems(fit.entries, viewer).filter(isNew)).toEqual([]);
}

/** Some providers have no message for what says nothing. */
function isBlank(entry: HistoryEntry): boolean {
  if (entry.type === "action" || entry.type === "observation") return false;
  const content = (entry.type === "user_message" ? entry.rendered : undefined) ?? entry.content;
  if (typeof content === "string") return content.trim() === "";
  return (
    content === undefined ||
    content.every((part) => part.type !== "text" || part.text.trim() === "")
  );
}
