import { isHistoryError, messageRole } from "@agent-history/core";
import type { HistoryEntry, Reduction, ReductionPlan, Viewer } from "@agent-history/core";
import { deepFreeze, lawRuns } from "@agent-history/testkit";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { arbitraryChange } from "../../test-support/arbitrary-change.ts";
import { arbitraryToldHistory } from "../../test-support/arbitrary-told-history.ts";
import { counter } from "../../test-support/character-counter.ts";
import { expectLaws } from "../../test-support/expect-laws.ts";
import { applyPlan } from "../apply-plan.ts";
import type { FitOptions } from "../fit-options.ts";
import { fitToWindow } from "../fit-to-window.ts";
import { lexicalScorer } from "../lexical/index.ts";
import { recallBlocks } from "./recall-blocks.ts";

const RUNS = { numRuns: lawRuns(15) };
const window = fc.integer({ min: 500, max: 2500 });
const viewer = fc.constantFrom<Viewer | undefined>(
  undefined,
  { agentId: "w1" },
  { agentId: "boss" },
);
const quotesTools = fc.boolean();

describe("fitToWindow with recall blocks", () => {
  it("keeps every law step after step, from a plan in memory and from a stored one alike", () => {
    let blocks = 0;
    fc.assert(
      fc.property(
        arbitraryToldHistory(),
        window,
        viewer,
        quotesTools,
        (steps, contextTokens, who, tools) => {
          const options = optionsOf(contextTokens, who, tools);
          let now: readonly HistoryEntry[] = [];
          let before: Reduction | undefined;
          for (const step of steps) {
            now = deepFreeze(now.concat(step));
            const previous = before && { previousPlan: before.plan };
            const warm = attempt(now, { ...options, ...previous });
            const cold = attempt(structuredClone(now), {
              ...optionsOf(contextTokens, who, tools),
              ...(before && { previousPlan: stored(before.plan) }),
            });
            expect(JSON.stringify(cold)).toBe(JSON.stringify(warm));
            if (warm === undefined) continue;
            expectLaws(now, warm, { window: contextTokens, counter, ...(who && { viewer: who }) });
            expectQuoted(now, warm, who);
            const applied = applyPlan(structuredClone(now), stored(warm.plan));
            expect(JSON.stringify(applied)).toBe(JSON.stringify(warm.entries));
            expectPrefix(before, warm);
            blocks += warm.plan.recalls?.length ?? 0;
            before = warm;
          }
        },
      ),
      RUNS,
    );
    expect(blocks).toBeGreaterThan(0);
  });

  it("keeps every law whatever is edited, erased or moved between two calls (L17)", () => {
    fc.assert(
      fc.property(
        arbitraryToldHistory(),
        window,
        fc.array(arbitraryChange(), { minLength: 4, maxLength: 4 }),
        (steps, contextTokens, changes) => {
          const options = { ...optionsOf(contextTokens), recheck: true };
          let now: readonly HistoryEntry[] = [];
          let plan: ReductionPlan | undefined;
          for (const [nth, step] of steps.entries()) {
            now = now.concat(step);
            if (nth % 8 === 7) now = changes[(nth - 7) / 8]?.(now) ?? now;
            const fitted = attempt(now, { ...options, ...(plan && { previousPlan: plan }) });
            const cold = attempt(structuredClone(now), {
              ...options,
              ...(plan && { previousPlan: stored(plan) }),
            });
            expect(JSON.stringify(cold)).toBe(JSON.stringify(fitted));
            if (fitted === undefined) continue;
            expectLaws(now, fitted, { window: contextTokens, counter });
            expectQuoted(now, fitted, undefined);
            plan = fitted.plan;
          }
        },
      ),
      RUNS,
    );
  });
});

/** Expects each block to quote hidden entries of the view, once, before a user's message or a task. */
function expectQuoted(
  now: readonly HistoryEntry[],
  { entries, plan }: Reduction,
  who: Viewer | undefined,
): void {
  const { head, recalls = [] } = plan;
  const blocks = head === undefined ? recalls : [head, ...recalls];
  const quotes = blocks.flatMap((block) => block.quotes);
  expect(new Set(quotes).size).toBe(quotes.length);
  const original = new Map(now.map((entry) => [entry.id, entry]));
  const ids = blocks.map(({ id }) => id);
  expect(entries.flatMap(({ id }) => (ids.includes(id) ? [id] : []))).toEqual(ids);
  for (const { id, before, tokens } of blocks) {
    const at = entries.findIndex((entry) => entry.id === id);
    const block = entries[at];
    const next = entries.slice(at + 1).find((entry) => !ids.includes(entry.id));
    expect(next?.id).toBe(before);
    expect(["user_message", "task"]).toContain(next?.type);
    expect(next && messageRole(next, who)).not.toBe("tool");
    expect(block && counter.countEntry(block)).toBe(tokens);
    expect(block).not.toHaveProperty("trust", "system");
  }
  for (const id of quotes) expect(original.has(id)).toBe(true);
  const whole = entries.filter((entry) => original.get(entry.id) === entry);
  const kept = new Set(whole.map(({ id }) => id));
  expect(quotes.filter((id) => kept.has(id))).toEqual([]);
}

/** Expects what goes on to begin with all that was sent before. */
function expectPrefix(before: Reduction | undefined, { entries, plan }: Reduction): void {
  if (before === undefined || plan.continued?.stoppedBy !== undefined) return;
  const sent = before.entries;
  expect(JSON.stringify(entries.slice(0, sent.length))).toBe(JSON.stringify(sent));
}

function optionsOf(contextTokens: number, who?: Viewer, tools = false): FitOptions {
  const scorer = lexicalScorer();
  const recall = recallBlocks({ quotesTools: tools });
  return { window: { contextTokens }, counter, scorer, recall, ...(who && { viewer: who }) };
}

function stored(plan: ReductionPlan): ReductionPlan {
  const read: ReductionPlan = JSON.parse(JSON.stringify(plan));
  return read;
}

function attempt(entries: readonly HistoryEntry[], options: FitOptions): Reduction | undefined {
  try {
    return fitToWindow(entries, options);
  } catch (error) {
    if (isHistoryError(error, "WINDOW_TOO_SMALL") || isHistoryError(error, "DUPLICATE_ID")) {
      return undefined;
    }
    throw error;
  }
}
