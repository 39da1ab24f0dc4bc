import { assistantMessage, synthesis, task, userMessage } from "@agent-history/core";
import type { Agent, FilterContext, HistoryEntry } from "@agent-history/core";
import { selectEntries } from "@agent-history/core/kit";
import { arbitraryBrokenHistory, arbitraryHistory, lawRuns } from "@agent-history/testkit";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { currentTurn } from "../../internal/query-filter.ts";
import { currentWork, newestWork } from "./current-work.ts";

/** Turns may come back after others, or be named by some entries only; some syntheses are signed by nobody. */
const histories = fc
  .tuple(
    fc.oneof(
      arbitraryHistory({ withAgents: "all", withTurnIds: "all", withTaskIds: "all" }),
      arbitraryHistory({ withAgents: "all", withTurnIds: "some", withTaskIds: "some" }),
      arbitraryHistory({ withAgents: "all" }),
      arbitraryBrokenHistory(),
    ),
    fc.boolean(),
    fc.infiniteStream(fc.nat(3)),
  )
  .map(([history, areMixed, numbers]) =>
    history.map((entry): HistoryEntry => {
      const turn = areMixed ? { turnId: `t${numbers.next().value}` } : {};
      if (entry.type !== "synthesis" || numbers.next().value === 0) return { ...entry, ...turn };
      const { agent: _, ...unsigned } = entry;
      return { ...unsigned, ...turn };
    }),
  );

function contexts(history: readonly HistoryEntry[]): fc.Arbitrary<FilterContext> {
  const one = <Value>(read: (entry: HistoryEntry) => Value): fc.Arbitrary<Value | undefined> =>
    fc.constantFrom(undefined, ...history.map((entry) => read(entry)));
  return fc.record({
    turnId: one(({ turnId }) => turnId),
    agentId: one(({ agent }) => agent?.id),
    taskId: one(({ taskId }) => taskId),
    phaseId: one(({ phaseId }) => phaseId),
    role: fc.constantFrom(undefined, "manager", "worker"),
  });
}

const cases = histories.chain((history) =>
  fc.record({
    history: fc.constant(history),
    context: contexts(history),
    depth: fc.constantFrom(0, 1, 2, 10, Infinity),
    lengths: fc.array(fc.nat(history.length), { maxLength: 3 }),
  }),
);

describe("newestWork", () => {
  it("is what one finds that evaluates everything, in a history that grows", () => {
    fc.assert(
      fc.property(cases, ({ history, context, depth, lengths }) => {
        for (const length of [...lengths, history.length]) {
          const part = history.slice(0, length);
          const work = wholeWork(part, context).toReversed().slice(0, depth);
          expect(newestWork(part, context, depth)).toEqual(work);
        }
      }),
      { numRuns: lawRuns(500) },
    );
  });

  it("has what nobody signed where it stands among what a manager wrote", () => {
    const agent: Agent = { id: "m1", role: "manager" };
    const said = (id: string): HistoryEntry => assistantMessage({ id, agent, content: "" });
    const history = [
      userMessage({ id: "u", content: "" }),
      task({ id: "k", agent, phaseId: "a", content: "" }),
      synthesis({ id: "s1", phaseId: "a", content: "" }),
      said("m1"),
      synthesis({ id: "s2", phaseId: "a", content: "" }),
      said("m2"),
    ];
    const newest = (depth: number): readonly string[] =>
      newestWork(history, { agentId: "m1" }, depth).map(({ id }) => id);

    expect(newest(2)).toEqual(["m2", "s2"]);
    expect(newest(Infinity)).toEqual(["m2", "s2", "m1", "s1", "k"]);
  });
});

/** What the agent wrote, and for a manager what nobody signed of its phase, by queries about the whole history. */
function wholeWork(
  entries: readonly HistoryEntry[],
  context: FilterContext,
): readonly HistoryEntry[] {
  const work = currentWork(entries, context);
  const role = context.role ?? work.findLast(({ agent }) => agent !== undefined)?.agent?.role;
  if (context.agentId === undefined || role !== "manager") return work;
  const given = work.findLast(({ type }) => type === "task");
  const phaseId = context.phaseId ?? given?.phaseId;
  const phases = phaseId === undefined ? {} : { phases: [phaseId] };
  const turn = currentTurn(context);
  const unsigned = new Set(
    selectEntries(entries, {
      clauses: [{ types: ["synthesis"], turn, unowned: true, ...phases }],
    }).filter((entry) => {
      if (entry.taskId !== undefined && given !== undefined) return entry.taskId === given.id;
      const isLater = given === undefined || entries.indexOf(entry) > entries.indexOf(given);
      return isLater && (phaseId !== undefined || entry.phaseId === undefined);
    }),
  );
  return entries.filter((entry) => work.includes(entry) || unsigned.has(entry));
}
