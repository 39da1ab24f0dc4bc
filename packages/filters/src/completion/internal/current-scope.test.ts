import { action, task, userMessage } from "@agent-history/core";
import type { Agent, FilterContext, HistoryEntry } from "@agent-history/core";
import { arbitraryHistory, lawRuns } from "@agent-history/testkit";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { findLoop } from "../find-loop.ts";
import { currentScope } from "./current-scope.ts";
import { currentWork } from "./current-work.ts";

const worker: Agent = { id: "w1", role: "worker" };

/** Turns may come back after others, or be named by some entries only. */
const histories = fc.oneof(
  arbitraryHistory({ withAgents: "all", withTurnIds: "all", withTaskIds: "all" }),
  arbitraryHistory({ withAgents: "all", withTurnIds: "some", withTaskIds: "some" }),
  fc
    .tuple(
      arbitraryHistory({ withAgents: "some", withTaskIds: "some" }),
      fc.infiniteStream(fc.nat(3)),
    )
    .map(([history, turns]) =>
      history.map((entry): HistoryEntry => ({ ...entry, turnId: `t${turns.next().value}` })),
    ),
);

const contexts = (history: readonly HistoryEntry[]): fc.Arbitrary<FilterContext> => {
  const one = (
    read: (entry: HistoryEntry) => string | undefined,
  ): fc.Arbitrary<string | undefined> =>
    fc.constantFrom(undefined, "nobody", ...history.map((entry) => read(entry)));
  return fc.record({
    turnId: one(({ turnId }) => turnId),
    agentId: one(({ agent }) => agent?.id),
    taskId: one(({ taskId }) => taskId),
  });
};

describe("currentScope", () => {
  it("leaves what an agent's current work is", () => {
    const cases = histories.chain((history) => fc.tuple(fc.constant(history), contexts(history)));
    fc.assert(
      fc.property(cases, ([history, context]) => {
        const scope = currentScope(history, context);
        expect(currentWork(scope.entries, scope.context)).toEqual(currentWork(history, context));
      }),
      { numRuns: lawRuns(200) },
    );
  });

  it("is asked for: of 10,000 entries of other turns nothing but turn and type is read", () => {
    let reads = 0;
    const earlier = Array.from({ length: 10_000 }, (_, index): HistoryEntry => {
      const said = userMessage({ id: `u${index}`, turnId: `t${index}`, content: "Done." });
      return Object.defineProperty({ ...said }, "agent", {
        get: () => {
          reads += 1;
          return undefined;
        },
      });
    });
    const turnId = "now";
    const call = { id: "c1", name: "read", arguments: "{}" };
    const now = [
      task({ id: "k1", turnId, agent: worker, content: "Read." }),
      action({ id: "a1", turnId, agent: worker, toolCalls: [call] }),
    ];
    expect(findLoop([...earlier, ...now], { agentId: "w1" })).toBeUndefined();
    expect(reads).toBe(0);
  });
});
