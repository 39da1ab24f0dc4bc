import {
  action,
  assistantMessage,
  final,
  observation,
  synthesis,
  task,
  userMessage,
} from "@agent-history/core";
import type { Agent, FilterContext, HistoryEntry } from "@agent-history/core";
import { selectEntries } from "@agent-history/core/query-parts";
import { arbitraryBrokenHistory, arbitraryHistory, lawRuns } from "@agent-history/testkit";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { currentTurn } from "../../internal/shared-clauses.ts";
import { completionDetector } from "../completion-detector.ts";
import { currentWork } from "./current-work.ts";
import { newestWork } from "./newest-work.ts";

/** Turns may come back after others, or be named by some entries only; some syntheses are signed by nobody. */
const histories = fc
  .tuple(
    fc.oneof(
      arbitraryHistory({ withAgents: "all", withTurnIds: "all", withTaskIds: "all" }),
      arbitraryHistory({ withAgents: "all", withTurnIds: "some", withTaskIds: "some" }),
      arbitraryHistory({ withAgents: "all" }),
      arbitraryBrokenHistory().map(({ entries }) => entries),
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
      splitExchanges: true,
    }).filter((entry) => {
      if (entry.taskId !== undefined && given !== undefined) return entry.taskId === given.id;
      const isLater = given === undefined || entries.indexOf(entry) > entries.indexOf(given);
      return isLater && (phaseId !== undefined || entry.phaseId === undefined);
    }),
  );
  return entries.filter((entry) => work.includes(entry) || unsigned.has(entry));
}

const worker: Agent = { id: "w1", role: "worker" };
const other: Agent = { id: "w2", role: "worker" };

/** Entries that tell when they are looked at. */
function counted(entries: readonly HistoryEntry[], looked: Set<string>): readonly HistoryEntry[] {
  return entries.map(
    (entry) =>
      new Proxy(entry, {
        get: (target, field) => {
          looked.add(target.id);
          return Reflect.get(target, field);
        },
      }),
  );
}

describe("completionDetector", () => {
  const call = { id: "c", name: "read", arguments: "{}" };
  const step = (agent: Agent, id: string, of: Partial<HistoryEntry> = {}): HistoryEntry[] => [
    Object.assign(action({ id: `a${id}`, agent, toolCalls: [call] }), of),
    Object.assign(
      observation({
        id: `o${id}`,
        agent,
        callId: "c",
        toolName: "read",
        outcome: "success",
        content: "A page.",
      }),
      of,
    ),
  ];
  const looksAt = (history: readonly HistoryEntry[], added: readonly HistoryEntry[]): number => {
    const looked = new Set<string>();
    const detector = completionDetector();
    const all = counted([...history, ...added], looked);
    detector.detect(all.slice(0, history.length), { agentId: "w1" });
    looked.clear();
    detector.detect(all, { agentId: "w1" });
    return looked.size;
  };

  for (const length of [1000, 100_000]) {
    it(`looks at ten entries and the new ones of ${length}, in many turns or in one`, () => {
      const turns = Array.from({ length: length / 4 }, (_, index) => {
        const turnId = `t${index}`;
        const asked = userMessage({ id: `u${index}`, turnId, content: "Read." });
        const given = task({ id: `k${index}`, turnId, agent: worker, content: "Read." });
        return [asked, given, ...step(worker, String(index), { turnId })];
      }).flat();
      const unnamed = turns.map(({ turnId: _, ...entry }): HistoryEntry => entry);
      const one = unnamed.filter(({ type, id }) => type !== "user_message" || id === "u0");
      const added = step(worker, "x");
      for (const history of [turns, unnamed, one]) {
        expect(looksAt(history, added)).toBeLessThanOrEqual(12);
      }
    });
  }

  it("looks back to where the turn begins, at most, for an agent that wrote little", () => {
    const before = Array.from({ length: 1000 }, (_, index) => step(worker, `b${index}`)).flat();
    const others = Array.from({ length: 20 }, (_, index) => step(other, `n${index}`)).flat();
    const asked = userMessage({ id: "u", content: "Read." });
    const history = [userMessage({ id: "u0", content: "Read." }), ...before, asked, ...others];

    expect(looksAt(history, [assistantMessage({ content: "Read.", agent: other })])).toBe(42);
  });

  it("looks back to where the task is first named, at most, in a turn that is long", () => {
    const before = Array.from({ length: 1000 }, (_, index) => step(worker, `b${index}`)).flat();
    const begin = task({ id: "k", agent: worker, content: "Read." });
    const history = [userMessage({ id: "u", content: "Go." }), ...before, begin];

    expect(looksAt(history, [final({ agent: worker, content: "Read." })])).toBeLessThan(5);
  });
});
