import type { HistoryEntry, HistoryQuery, QueryClause } from "@agent-history/core";
import { agentView, findLastTask } from "@agent-history/core";
import { describe, expect, it } from "vitest";

import { REGULAR, regularHistory } from "../../test-support/arbitrary-regular-history.ts";
import type { RegularOptions } from "../../test-support/arbitrary-regular-history.ts";
import { expectedPage } from "../../test-support/arbitrary-thread.ts";
import type { PlainThread } from "../../test-support/arbitrary-thread.ts";
import { compactUsually } from "../../test-support/compact-usually.ts";
import { fakeThread } from "../../test-support/fake-store.ts";
import type { FakeThread } from "../../test-support/fake-store.ts";
import { ROLE_QUERIES } from "../../test-support/role-queries.ts";
import { lawRuns } from "../law-runs.ts";

/** What one view may cost: two round trips, and no more than 32 entries beyond those shown. */
const MAX_ROUNDS = 2;
const MAX_BEYOND = 32;

const KINDS: readonly [string, Partial<RegularOptions>][] = [
  ["named turns and tasks", {}],
  ["anonymous turns and tasks", { hasTurnIds: false, hasTaskIds: false }],
  ["a chat without agents at work", { phases: 0, hasTurnIds: false }],
];

describe("what a view costs", () => {
  for (const [kind, options] of KINDS) {
    for (const entries of [500, 2000]) {
      it(`stays within two rounds in a thread of ${entries} with ${kind}`, () => {
        const { thread, model } = written({ ...REGULAR, ...options, entries }, 10);
        expectCheapReads(thread, model);
      });
    }
  }

  it("stays within two rounds where each entry came in a batch of its own, or in large ones", () => {
    for (const size of [1, 500]) {
      const { thread, model } = written({ ...REGULAR, entries: 1500 }, size);
      expectCheapReads(thread, model);
    }
  });

  // A longer thread by LAW_RUNS=40: 100,000 entries.
  it("stays within two rounds in a long thread", () => {
    const { thread, model } = written({ ...REGULAR, entries: lawRuns(2500) }, 50);
    expectCheapReads(thread, model);
  });

  it("stays within two rounds in a log without user messages, but for turns of conversation", () => {
    const { thread, model } = written({ ...REGULAR, hasUsers: false, entries: 2000 }, 10);
    expectCheapReads(thread, model, (name) => !name.startsWith("orchestrator"));
  });

  it("stays within two rounds for what came since, and needs no payload of other pages for an older one", () => {
    const { thread, model } = written({ ...REGULAR, entries: 4000 }, 10);
    const everything = { clauses: [{}] };
    const since = { ...everything, after: model.log.at(-25)?.id ?? "" };
    const page = { ...everything, maxTokens: 8000, before: model.log[2000]?.id ?? "" };
    for (const [query, rounds] of [
      [since, MAX_ROUNDS],
      [page, 4],
    ] as const) {
      const { result, fallback, cost } = thread.read({ query });
      expect(fallback).toBe(undefined);
      expect({ entries: result.entries, next: result.next }).toEqual(
        expectedPage(model, query, false),
      );
      expect(cost.rounds).toBeLessThanOrEqual(rounds);
      expect(cost.entries - result.entries.length).toBeLessThanOrEqual(MAX_BEYOND);
    }
  });

  it("reads sixteen rows of the index for what came in the last turn, in two rounds", () => {
    const log = regularHistory({ ...REGULAR, entries: 3000 });
    const before = log.slice(0, -10);
    for (const size of [1, 500]) {
      const thread = fakeThread();
      for (let start = 0; start < before.length; start += size) {
        thread.append(before.slice(start, start + size));
      }
      for (const entry of log.slice(-10)) thread.append([entry]);
      const query = { clauses: [{}], splitExchanges: true, after: before.at(-1)?.id ?? "" };
      const { result, cost } = thread.read({ query });
      expect(result.entries).toEqual(log.slice(-10));
      expect([cost.rows, cost.rounds]).toEqual([16, 2]);
    }
  });

  it("stays within two rounds for what came since an entry in each role's view, which may need what its turn began with", () => {
    for (const batch of [1, 10]) {
      const { thread, model } = written({ ...REGULAR, entries: 3000 }, batch);
      for (const [name, query] of ROLE_QUERIES) {
        if (name.startsWith("tail")) continue;
        const since = { ...query, splitExchanges: true, after: model.log.at(-5)?.id ?? "" };
        const { result, cost } = thread.read({ query: since });
        expect({ entries: result.entries, next: result.next }).toEqual(
          expectedPage(model, since, false),
        );
        expect([name, cost.rounds]).toEqual([name, Math.min(cost.rounds, MAX_ROUNDS)]);
      }
    }
  });

  it("reads about as many rows of the index as hold what stands behind an entry, however long the thread is and however it was written", () => {
    for (const [size, most] of [
      [1, 500],
      [500, 180],
    ] as const) {
      const rows = [2000, 8000].map((entries) => {
        const log = regularHistory({ ...REGULAR, entries });
        const thread = fakeThread();
        // The newest came one by one.
        const newest = log.length - 100;
        for (let start = 0; start < newest; start += size) {
          thread.append(log.slice(start, Math.min(newest, start + size)));
        }
        for (const entry of log.slice(newest)) thread.append([entry]);
        const query = { clauses: [{}], after: log.at(-400)?.id ?? "" };
        const { result, cost } = thread.read({ query });
        expect(result.entries.length).toBeGreaterThan(390);
        return cost.rows;
      });
      expect(Math.max(...rows)).toBeLessThan(most);
    }
  });

  it("stays within two rounds for entries by their ids, in each view, and reads no other", () => {
    const { thread, model } = written({ ...REGULAR, entries: 2000 }, 10);
    compactUsually(thread, model);
    const ids = model.log.filter((_, index) => index % 40 === 0).map(({ id }) => id);
    for (const view of [undefined, "thread", "conversation", agentView("worker 1")] as const) {
      const named = { clauses: [{ ids }], splitExchanges: true };
      const query = view === undefined ? named : { ...named, view };
      for (const originals of [false, true]) {
        const { result, fallback, cost } = thread.read({ query, originals });
        expect({ entries: result.entries, next: result.next }).toEqual(
          expectedPage(model, query, originals),
        );
        expect([fallback, cost.rows]).toEqual([undefined, 0]);
        expect(cost.rounds).toBeLessThanOrEqual(MAX_ROUNDS);
        expect(cost.entries).toBeLessThanOrEqual(ids.length);
      }
    }
  });

  it("reads hardly another entry where exchanges named are shown whole, or more is asked beside them", () => {
    const { thread, model } = written({ ...REGULAR, entries: 2000 }, 10);
    compactUsually(thread, model);
    const ids = model.log.slice(-100).map(({ id }) => id);
    const standing = { types: ["system_message"], unowned: true } as const;
    for (const view of ["thread", "conversation"] as const) {
      for (const clauses of [[{ ids }], [{ ids: ids.slice(0, 10) }, standing]]) {
        const { result, fallback, cost } = thread.read({ query: { clauses, view } });
        expect({ entries: result.entries, next: result.next }).toEqual(
          expectedPage(model, { clauses, view }, false),
        );
        expect([view, fallback]).toEqual([view, undefined]);
        // Once to see that they are calls, and once more with the index.
        expect(cost.entries).toBeLessThanOrEqual(2 * ids.length + MAX_BEYOND);
      }
    }
  });

  for (const [kind, options] of KINDS.slice(0, 2)) {
    it(`stays within two rounds for the last task, and reads no log for a task or a turn of any age, with ${kind}`, () => {
      const { thread, model } = written({ ...REGULAR, ...options, entries: 3000 }, 10);
      for (const { query, rounds } of taskQueries(model.log)) {
        const { result, fallback, cost } = thread.read({ query });
        expect({ entries: result.entries, next: result.next }).toEqual(
          expectedPage(model, query, false),
        );
        expect([query, fallback]).toEqual([query, undefined]);
        expect([query, cost.rounds]).toEqual([query, Math.min(cost.rounds, rounds)]);
        expect(cost.entries - result.entries.length).toBeLessThanOrEqual(MAX_BEYOND);
      }
    });
  }

  for (const [kind, options] of KINDS) {
    it(`stays within two rounds where views have summaries, and in a fork, with ${kind}`, () => {
      const { thread, model } = written({ ...REGULAR, ...options, entries: 1000 }, 10);
      compactUsually(thread, model);
      expectCheapReads(thread, model);
      const last = model.log.at(-1)?.id ?? "";
      expectCheapReads(thread.fork(last), model);
      writeOn(thread, model, { ...REGULAR, ...options, entries: 400 });
      expectCheapReads(thread, model);
      compactUsually(thread, model);
      expectCheapReads(thread, model);
    });
  }
});

/** By task and by turn: the newest, and one in the middle of the log. */
function taskQueries(
  log: readonly HistoryEntry[],
): readonly { readonly query: HistoryQuery; readonly rounds: number }[] {
  const middle = log.slice(0, Math.floor(log.length / 2));
  const newest = { newest: true } as const;
  const recent: readonly QueryClause[] = [
    { lastTask: {} },
    { lastTask: {}, turn: newest },
    { lastTask: { of: "worker 1" }, agent: "worker 1" },
    ...taskClauses(log),
  ];
  return [
    ...recent.map((clause) => ({ query: { clauses: [clause] }, rounds: MAX_ROUNDS })),
    ...taskClauses(middle).map((clause) => ({ query: { clauses: [clause] }, rounds: 3 })),
  ];
}

function taskClauses(log: readonly HistoryEntry[]): readonly QueryClause[] {
  const last = log[findLastTask(log)];
  const id = log.findLast(({ turnId }) => turnId !== undefined)?.turnId;
  const task = last?.id ?? "";
  return [
    { task },
    { task, lastTask: {} },
    ...(id === undefined ? [] : [{ turn: { id } }, { task, turn: { id } }]),
  ];
}

function written(
  options: RegularOptions,
  batch: number,
): { readonly thread: FakeThread; readonly model: PlainThread } {
  const log = regularHistory(options);
  const thread = fakeThread();
  for (let start = 0; start < log.length; start += batch) {
    thread.append(log.slice(start, start + batch));
  }
  // The last turn is running.
  return { thread, model: { log: [...log], overlays: [] } };
}

function writeOn(thread: FakeThread, model: PlainThread, options: RegularOptions): void {
  const more = regularHistory(options).map((entry): HistoryEntry => {
    const named = entry.turnId === undefined ? {} : { turnId: `again ${entry.turnId}` };
    const under = entry.taskId === undefined ? {} : { taskId: `again ${entry.taskId}` };
    return JSON.parse(
      JSON.stringify({ ...entry, ...named, ...under, id: `again ${entry.id}` }).replaceAll(
        /"(actionId|messageId)":"e/g,
        '"$1":"again e',
      ),
    );
  });
  thread.append(more.slice(0, 500));
  model.log.push(...more.slice(0, 500));
}

function expectCheapReads(
  thread: FakeThread,
  model: PlainThread,
  isAsked: (name: string) => boolean = () => true,
): void {
  for (const [name, query] of ROLE_QUERIES) {
    if (!isAsked(name)) continue;
    const { result, fallback, cost } = thread.read({ query });
    expect([name, fallback]).toEqual([name, undefined]);
    expect({ entries: result.entries, next: result.next }).toEqual(
      expectedPage(model, query, false),
    );
    expect([name, cost.rounds]).toEqual([name, Math.min(cost.rounds, MAX_ROUNDS)]);
    const beyond = cost.entries - result.entries.length;
    expect([name, beyond]).toEqual([name, Math.min(beyond, MAX_BEYOND)]);
  }
}
