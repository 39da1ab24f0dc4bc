import { isHistoryError, repairHistory } from "@agent-history/core";
import type { HistoryEntry, ReductionPlan, TokenCounter, Viewer } from "@agent-history/core";
import { arbitraryHistory, lawRuns } from "@agent-history/testkit";
import { providerProblems } from "@agent-history/testkit/provider-rules";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { arbitraryLongHistory } from "../test-support/arbitrary-long-history.ts";
import { fitToWindow } from "./fit-to-window.ts";

const RUNS = { numRuns: lawRuns(150) };

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

  it("breaks none with the plan of the call before", () => {
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
  const known = new Set(problemsOf(before, viewer));
  // In a log of many agents one role follows itself in more ways than a template has turns for.
  const isOfMany = new Set(before.map(({ agent }) => agent?.id)).size > 1;
  const isNew = (problem: string): boolean =>
    !known.has(problem) && !(isOfMany && problem.startsWith("mistral"));
  expect(problemsOf(fit.entries, viewer).filter(isNew)).toEqual([]);
}

function problemsOf(entries: readonly HistoryEntry[], viewer?: Viewer): readonly string[] {
  return providerProblems(entries, viewer).map(({ provider, rule }) => `${provider}: ${rule}`);
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
