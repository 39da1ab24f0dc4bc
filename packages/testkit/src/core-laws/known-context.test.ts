import { assistantMessage, task, userMessage } from "@agent-history/core";
import type { Agent, HistoryEntry, QueryClause } from "@agent-history/core";
import { knownContext, newestFirst, selectEntries } from "@agent-history/core/query-parts";
import {
  arbitraryBrokenHistory,
  arbitraryHistory,
  arbitraryQuery,
  lawRuns,
} from "@agent-history/testkit";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

/** Turns may come back after others, or be named by some entries only; tasks may be named before they stand, and stand twice. */
const histories: fc.Arbitrary<readonly HistoryEntry[]> = fc.oneof(
  arbitraryHistory({ withAgents: "all", withTurnIds: "all", withTaskIds: "all" }),
  arbitraryHistory({ withAgents: "some", withTurnIds: "some", withTaskIds: "some" }),
  arbitraryBrokenHistory().map(({ entries }) => entries),
  fc
    .tuple(
      arbitraryHistory({ withAgents: "some", withTaskIds: "some" }),
      fc.infiniteStream(fc.tuple(fc.nat(3), fc.nat(5))),
    )
    .map(([history, numbers]) =>
      history.map((entry): HistoryEntry => {
        const [turn, named] = numbers.next().value ?? [0, 0];
        const id = entry.type === "task" && named < 2 ? `k${named}` : entry.id;
        return { ...entry, id, turnId: `t${turn}`, ...(named < 3 && { taskId: `k${named}` }) };
      }),
    ),
);

/** A history, clauses about it, and what is asked before: beginnings of it, and the same with one entry replaced by another object. */
const cases = histories.chain((history) =>
  fc.record({
    // What stands twice is told apart.
    history: fc.constant(history.map((entry): HistoryEntry => ({ ...entry }))),
    clauses: fc
      .array(arbitraryQuery(history), { minLength: 1, maxLength: 3 })
      .map((queries) => queries.flatMap(({ clauses }) => clauses)),
    lengths: fc.array(fc.nat(history.length), { maxLength: 4 }),
    replaced: fc.nat(Math.max(0, history.length - 1)),
    by: fc.constantFrom<Partial<HistoryEntry>>({}, { turnId: "t1" }, { taskId: "k1" }),
  }),
);

describe("newestFirst", () => {
  it("finds what a query selects, cold, warm, and after an entry was replaced", () => {
    fc.assert(
      fc.property(cases, ({ history, clauses, lengths, replaced, by }) => {
        const other = history.map((entry, index): HistoryEntry =>
          index === replaced ? Object.assign({ ...entry }, by) : entry,
        );
        const parts = [...lengths, history.length].flatMap((length) => [
          history.slice(0, length),
          other.slice(0, length),
        ]);
        for (const part of parts) {
          for (const clause of clauses) expect(found(part, clause)).toEqual(selected(part, clause));
        }
      }),
      { numRuns: lawRuns(300) },
    );
  });

  it("finds it where the facts do not say where to look", () => {
    fc.assert(
      fc.property(cases, ({ history, clauses }) => {
        const { places: _, ...facts } = knownContext(history);
        for (const clause of clauses) {
          const indexes = [...newestFirst(facts, clause)].toReversed();
          expect(indexes).toEqual(found(history, clause));
        }
      }),
      { numRuns: lawRuns(50) },
    );
  });
});

const agent: Agent = { id: "w1", role: "worker" };

describe("knownContext", () => {
  it("knows the phase of what named its task before that stood", () => {
    const named = ["m1", "m2"].map((id) => {
      return assistantMessage({ id, agent, turnId: "t1", taskId: "k1", content: "" });
    });
    const given = task({ id: "k1", agent, turnId: "t1", phaseId: 7, content: "" });
    const history = [...named, given];
    const clause = { phases: [7] };

    expect(found(named, clause)).toEqual([]);
    expect(found(history, clause)).toEqual([0, 1, 2]);
  });

  it("knows that tasks begin no turns once the user has spoken", () => {
    const tasks = ["k1", "k2"].map((id) => task({ id, agent, content: "" }));
    const history = [...tasks, userMessage({ content: "" })];
    const clause = { turn: { newest: true } } as const;

    expect(found(tasks, clause)).toEqual([1]);
    expect(found(history, clause)).toEqual([2]);
  });

  it("reads each entry of a growing history once", () => {
    const read: string[] = [];
    const history = Array.from({ length: 300 }, (_, index) => {
      const id = `e${index}`;
      const entry = { id, type: "assistant_message", createdAtMs: 0, content: "" } as const;
      return Object.defineProperty({ ...entry }, "turnId", {
        get: () => {
          read.push(id);
          return `t${Math.floor(index / 10)}`;
        },
      });
    });
    for (let length = 2; length <= history.length; length += 1) {
      knownContext(history.slice(0, length));
    }
    expect(read).toEqual(history.map(({ id }) => id));
  });
});

function found(entries: readonly HistoryEntry[], clause: QueryClause): readonly number[] {
  return [...newestFirst(knownContext(entries), clause)].toReversed();
}

function selected(entries: readonly HistoryEntry[], clause: QueryClause): readonly number[] {
  // What is attached to shown messages is judged by other clauses.
  const { attachedToShown: _, ...asked } = clause;
  const shown = new Set(selectEntries(entries, { clauses: [asked], splitExchanges: true }));
  return [...entries.keys()].filter((index) => {
    const entry = entries[index];
    return entry !== undefined && shown.has(entry);
  });
}
