import type { HistoryEntry } from "@agent-history/core";
import { pairCalls } from "@agent-history/core";
import { selectEntries } from "@agent-history/core/query-parts";
import { numberTurns, clauseContext } from "@agent-history/core/query-parts";
import { indexBatch, prepareBatch } from "@agent-history/store-kit";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

// Private pieces of the kit; the generators that test them may not be imported there.
import { packReferences, unpackReferences } from "../../../store-kit/src/reference.ts";
import { headOf } from "../../../store-kit/src/thread-head.ts";
import { newTurnCursor, nextTurn } from "../../../store-kit/src/turn-numbering.ts";
import { REGULAR, regularHistory } from "../../test-support/arbitrary-regular-history.ts";
import { arbitraryLog } from "../../test-support/arbitrary-thread.ts";
import { fakeThread } from "../../test-support/fake-store.ts";
import type { FakeThread } from "../../test-support/fake-store.ts";
import { lawRuns } from "../law-runs.ts";

describe("indexBatch", () => {
  it("gives every entry the turn, task and partner that the whole log says, where it is in no doubt", () => {
    fc.assert(
      fc.property(arbitraryLog(), fc.integer({ min: 1, max: 9 }), (log, size) => {
        const thread = fakeThread();
        for (let start = 0; start < log.length; start += size) {
          thread.append(log.slice(start, start + size));
        }
        const rows = thread.tables.streams.get("all") ?? [];
        const references = unpackReferences(rows);
        const head = headOf(thread.tables.head);
        const { turns, taskOf } = clauseContext(log);
        const { actionOf, callerOf } = pairCalls(log);
        expect(references.map(({ type }) => type)).toEqual(log.map(({ type }) => type));
        expect(references.map(({ turn, plainTurn }) => (head.hasUsers ? turn : plainTurn))).toEqual(
          turns,
        );
        for (const { position, task, partner, type } of references) {
          if (position > head.taskDoubt)
            expect([position, task]).toEqual([position, taskOf[position]]);
          if (type === "attachment" || position <= head.pairDoubt) continue;
          const pair = actionOf.get(position) ?? callerOf.get(position);
          expect([position, partner]).toEqual([position, pair]);
        }
      }),
      { numRuns: lawRuns(50) },
    );
  });

  it("is in doubt of a result whose call another agent may have answered", () => {
    const one = { agent: { id: "one", role: "worker" }, createdAtMs: 0 } as const;
    const other = { agent: { id: "other", role: "worker" }, createdAtMs: 0 } as const;
    const toolCalls = [{ id: "c", name: "find", arguments: "{}" }];
    const result = { type: "observation", callId: "c", toolName: "find", content: "" } as const;
    const log: readonly HistoryEntry[] = [
      { ...one, type: "action", id: "action", toolCalls },
      { ...other, ...result, id: "crossing", outcome: "success", actionId: "action" },
      { ...one, ...result, id: "orphan", outcome: "success" },
      { ...one, type: "action", id: "next", toolCalls },
      { ...one, ...result, id: "sound", outcome: "success" },
    ];
    const thread = fakeThread();
    thread.append(log);
    expect(headOf(thread.tables.head).pairDoubt).toBe(2);
    const query = { clauses: [{}], maxEntries: 3 };
    expect(thread.read({ query }).result.entries).toEqual(selectEntries(log, query));
    expect(thread.read({ query: { clauses: [{}], maxEntries: 2 } }).result.entries).toEqual(
      log.slice(3),
    );
  });

  it("comes to the same head and facts however a log is cut into batches", () => {
    fc.assert(
      fc.property(arbitraryLog(), fc.integer({ min: 1, max: 9 }), (log, size) => {
        const [one, other] = [fakeThread(), fakeThread()];
        if (log.length > 0) one.append(log);
        for (let start = 0; start < log.length; start += size) {
          other.append(log.slice(start, start + size));
        }
        expect(headOf(other.tables.head)).toEqual(headOf(one.tables.head));
        const factsOf = ({ tables }: FakeThread): unknown =>
          new Map([...tables.facts].map(([key, fact]) => [key, JSON.parse(fact)]));
        expect(factsOf(other)).toEqual(factsOf(one));
        expect(other.verify()).toEqual([]);
        expect(one.verify()).toEqual([]);
      }),
      { numRuns: lawRuns(50) },
    );
  });

  it("keeps the head small, whatever the number of turns, tasks, agents and open calls", () => {
    const log = regularHistory({ ...REGULAR, entries: 5000, workers: 40, phases: 3 });
    const thread = fakeThread();
    for (let start = 0; start < log.length; start += 500) {
      thread.append(log.slice(start, start + 500));
    }
    const open = Array.from({ length: 300 }, (_, index) => {
      const toolCalls = [{ id: `call ${index}`, name: "find", arguments: "{}" }];
      return { type: "action", id: `open ${index}`, createdAtMs: 0, toolCalls } as const;
    });
    thread.append(open);
    expect(thread.tables.head?.length).toBeLessThan(2000);
    expect(thread.tables.facts.get("nobody")?.length).toBeLessThan(2000);
  });

  it("writes rows of at most 16 references, whatever the batch", () => {
    const log = regularHistory(REGULAR).slice(0, 500);
    const batch = prepareBatch(log);
    const { references } = indexBatch({ head: undefined, facts: new Map(), batch });
    for (const rows of references.values()) {
      for (const row of rows) expect(unpackReferences([row]).length).toBeLessThanOrEqual(16);
    }
    const all = unpackReferences(references.get("all") ?? []);
    expect(unpackReferences(packReferences(all))).toEqual(all);
  });
});

describe("nextTurn", () => {
  it("numbers as numberTurns does", () => {
    fc.assert(
      fc.property(arbitraryLog(), (log) => {
        const hasUsers = log.some(({ type }) => type === "user_message");
        const cursor = newTurnCursor();
        const known = new Map<string | undefined, number>();
        const numbers = log.map((entry) => {
          const turn = nextTurn(entry, cursor, known.get(entry.turnId), hasUsers);
          if (entry.turnId !== undefined) known.set(entry.turnId, turn);
          return turn;
        });
        expect(numbers).toEqual(numberTurns(log));
      }),
      { numRuns: lawRuns(50) },
    );
  });
});
