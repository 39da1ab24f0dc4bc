import { isHistoryError, userMessage } from "@agent-history/core";
import { maskOldResults, planReduction } from "@agent-history/reducer";
import { lexicalScorer } from "@agent-history/reducer/lexical";
import { arbitraryHistory, lawRuns } from "@agent-history/testkit";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { threeRoles } from "../test-support/three-roles.ts";
import { inspectPlans } from "./inspect-plans.ts";
import { lengthCounter } from "./length-counter.ts";
import { callEntries, whatIf } from "./what-if.ts";

const counter = lengthCounter();

describe("whatIf", () => {
  it("asks again what was asked, and decides what planReduction decided", () => {
    fc.assert(
      fc.property(
        arbitraryHistory({ flat: true }),
        fc.double({ min: 0.3, max: 1, noNaN: true }),
        (history, share) => {
          const size = history.reduce((sum, entry) => sum + counter.countEntry(entry), 0);
          const window = { contextTokens: Math.max(1, Math.ceil(size * share)) };
          const plan = tried(() => planReduction(history, { counter, window }));
          fc.pre(plan !== undefined && plan.repairs.length === 0);
          const data = inspectPlans({ plans: [plan], entries: history, counter });
          const [call] = data.calls;
          const again = call && whatIf(data, call);

          expect(call && callEntries(data, call)).toEqual(history);
          expect(again?.decisions).toEqual(plan.decisions);
          expect(again?.totalTokens).toBe(plan.totalTokens);
        },
      ),
      { numRuns: lawRuns(200) },
    );
  });

  it("counts an entry by the number that its row carries", () => {
    const history = [userMessage({ id: "q", createdAtMs: 0, content: "Why?" })];
    const window = { contextTokens: 1_000_000 };
    const plan = planReduction(history, { counter, window });
    const data = { ...inspectPlans({ plans: [plan], entries: history }), tokens: [1234] };
    const [call] = data.calls;

    expect(call && whatIf(data, call).totalTokens).toBe(1234 + plan.requestTokens);
  });

  it("decides for a role what planReduction decides in Node, whatever is asked: 240 fits", () => {
    const data = threeRoles();
    let fits = 0;
    for (const call of data.calls) {
      const { window, viewer } = call.request ?? {};
      for (const [index, share] of [3, 1, 0.8, 0.6, 0.4].entries()) {
        const contextTokens = Math.ceil(call.totalTokens * share) + 100;
        const scorer = index % 2 === 1 ? lexicalScorer() : undefined;
        const steps = index > 2 ? [maskOldResults()] : [];
        const asked = {
          contextTokens,
          scorer: scorer ? "lexical" : "none",
          steps: index > 2 ? "masking" : "default",
        } as const;
        const now = tried(() => whatIf(data, call, asked));
        const inNode = tried(() =>
          planReduction(callEntries(data, call), {
            counter,
            window: { ...window, contextTokens },
            steps,
            scorer,
            viewer,
          }),
        );

        expect(now?.decisions).toEqual(inNode?.decisions);
        expect(now?.totalTokens).toBe(inNode?.totalTokens);
        fits += 1;
      }
    }
    expect(fits).toBe(240);
  });

  it("cuts to another window, and leaves out the steps that are named", () => {
    fc.assert(
      fc.property(arbitraryHistory({ flat: true }), (history) => {
        const plan = planReduction(history, { counter, window: { contextTokens: 1_000_000 } });
        fc.pre(plan.repairs.length === 0);
        const data = inspectPlans({ plans: [plan], entries: history, counter });
        const [call] = data.calls;
        const contextTokens = Math.max(1, Math.ceil(plan.totalTokens / 2));
        const without = ["drop-old-messages"];
        const again = tried(() => call && whatIf(data, call, { contextTokens, without }));

        expect(again?.totalTokens ?? 0).toBeLessThanOrEqual(contextTokens);
        expect(again?.decisions.map(({ step }) => step) ?? []).not.toContain("drop-old-messages");
      }),
      { numRuns: lawRuns(100) },
    );
  });
});

function tried<Result>(make: () => Result): Result | undefined {
  try {
    return make();
  } catch (error) {
    if (isHistoryError(error, "WINDOW_TOO_SMALL")) return undefined;
    throw error;
  }
}
