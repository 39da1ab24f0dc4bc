import type { HistoryEntry, HistoryFilter, HistoryStore } from "@agent-history/core";
import { assistantMessage, userMessage } from "@agent-history/core";
import { createReducer } from "@agent-history/reducer";
import { lexicalScorer } from "@agent-history/reducer/lexical";
import { memoryStore } from "@agent-history/store-kit";
import { lawRuns } from "@agent-history/testkit";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { counter } from "../test-support/character-counter.ts";
import { loopScript } from "../test-support/loop-step.ts";
import { managerOptions } from "../test-support/manager-options.ts";
import { prefixCompressor } from "../test-support/prefix-compressor.ts";
import { loopMemory, runStep } from "../test-support/run-step.ts";
import { TEST_STORES } from "../test-support/store-factories.ts";
import { watchedReads, wholeReads } from "../test-support/watched-reads.ts";
import { createHistoryManager } from "./create-history-manager.ts";
import type { HistoryManager, HistoryManagerOptions, ModelCallRequest } from "./index.ts";

const CALL = { systemMessage: "You answer." };
const WINDOW = { contextTokens: 600 };

/** So many turns of a thread, numbered from the first on. */
function turns(count: number, from = 0): readonly HistoryEntry[] {
  return Array.from({ length: count }, (_, index) => String(from + index).padStart(4, "0")).flatMap(
    (turn) => [
      userMessage({ id: `u${turn}`, createdAtMs: 1, content: `Question number ${turn}` }),
      assistantMessage({ id: `a${turn}`, createdAtMs: 1, content: `Answer number ${turn}` }),
    ],
  );
}

async function fill(store: HistoryStore, count: number): Promise<void> {
  for (let from = 0; from < count; from += 200) {
    await store.append("thread-1", turns(Math.min(200, count - from), from));
  }
}

describe.each(TEST_STORES)(
  "a call that goes on from a plan, on %s",
  (_name, makeTestStore, share) => {
    it.each([
      ["without a scorer", createReducer({ counter })],
      ["with a scorer", createReducer({ counter, scorer: lexicalScorer() })],
    ])("gives what the whole view gives, %s", async (_label, reducer) => {
      const options = managerOptions({ window: WINDOW, reducer, compressor: prefixCompressor });
      const property = fc.asyncProperty(
        loopScript,
        fc.infiniteStream(fc.nat({ max: 3 })),
        async (script, restarts) => {
          const testStore = makeTestStore();
          const store = testStore.open();
          const open = (): HistoryManager =>
            createHistoryManager({ ...options, store: { ...store } });
          const whole = createHistoryManager({ ...options, store: wholeReads(store) });
          const memory = loopMemory();
          await fill(store, 60);
          let little = open();
          for (const step of [
            { kind: "ask", rendered: false, uploads: true } as const,
            ...script,
          ]) {
            memory.step += 1;
            const given = step.kind === "ask" ? { worker: undefined, ...step } : step;
            const expected = step.kind === "ask" ? await runStep(whole, given, memory) : undefined;
            const made = await runStep(little, given, memory);
            if (step.kind === "ask") expect(made).toEqual(expected);
            if (restarts.next().value === 0) little = open();
          }
          await testStore.close();
        },
      );
      await fc.assert(property, { numRuns: Math.ceil(lawRuns(8) * share) });
    });

    it("reads what is new and what the plan keeps, however long the thread is", async () => {
      const costs: unknown[] = [];
      for (const count of [100, 400]) {
        const testStore = makeTestStore();
        const store = watchedReads(testStore.open());
        await fill(store, count);
        const options = managerOptions({ store, window: WINDOW });
        let history = createHistoryManager(options);
        await history.historyForModelCall(CALL);
        const asks: unknown[] = [];
        for (let turn = 0; turn < 24; turn++) {
          // As in another process.
          if (turn % 8 === 7) history = createHistoryManager({ ...options, store: { ...store } });
          await history.addUserMessage({ id: `q${turn}`, content: `Question ${turn + 10}` });
          store.reads.length = 0;
          const { counts } = await history.historyForModelCall(CALL);
          await history.addAssistantMessage({ id: `r${turn}`, content: `Answer ${turn + 10}` });
          expect(store.reads.some(({ kind }) => kind === "whole")).toBe(false);
          expect(store.reads.reduce((sum, { rows }) => sum + rows, 0)).toBeLessThan(120);
          asks.push([counts.shownEntries, counts.isContinued, [...store.reads]]);
        }
        expect(asks).toContainEqual([expect.any(Number), true, [{ kind: "since", rows: 2 }]]);
        costs.push(asks);
        await testStore.close();
      }
      expect(costs[1]).toEqual(costs[0]);
    });
  },
);

describe("a call with a scorer", () => {
  it("reads the view once in a process, and from then on what came since", async () => {
    const window = { contextTokens: 2000 };
    for (const count of [300, 600]) {
      const stored = memoryStore();
      await fill(stored, count);
      const reducer = createReducer({ counter, scorer: lexicalScorer() });
      const asks: (readonly string[])[] = [];
      let store = watchedReads(stored);
      for (let turn = 10; turn < 24; turn++) {
        // A process for each seven turns, and a manager for each turn.
        if (turn % 7 === 3) store = watchedReads(stored);
        const history = createHistoryManager(managerOptions({ store, window, reducer }));
        await history.addUserMessage({ id: `q${turn}`, content: `Question ${turn}?` });
        store.reads.length = 0;
        const { plan } = await history.historyForModelCall(CALL);
        if (turn > 10) expect(plan.recalls?.length).toBeGreaterThan(0);
        asks.push(store.reads.map(({ kind }) => kind));
        await history.addAssistantMessage({ id: `r${turn}`, content: `Answer ${turn}` });
      }
      const once = asks.map((kinds, turn) => (turn % 7 < 2 ? "once" : kinds.join()));
      expect(new Set(once)).toEqual(new Set(["once", "since"]));
      expect(asks.filter((kinds) => kinds.includes("whole"))).toHaveLength(3);
    }
  });
});

describe("a call with a scorer that quotes nothing", () => {
  it("reads the whole view in no process but where a cut is made", async () => {
    const store = memoryStore();
    await fill(store, 300);
    const reducer = createReducer({ counter, scorer: lexicalScorer(), recall: "off" });
    const asks: string[] = [];
    for (let turn = 10; turn < 16; turn++) {
      const watched = watchedReads(store);
      const options = managerOptions({ store: watched, window: { contextTokens: 4000 }, reducer });
      const history = createHistoryManager(options);
      await history.addUserMessage({ id: `q${turn}`, content: `Question ${turn}?` });
      watched.reads.length = 0;
      const { counts } = await history.historyForModelCall(CALL);
      const kinds = watched.reads.map(({ kind }) => kind).toSorted();
      if (counts.isContinued) asks.push(kinds.join());
      await history.addAssistantMessage({ id: `r${turn}`, content: `Answer ${turn}` });
    }
    expect(asks.length).toBeGreaterThan(3);
    expect(asks).not.toContainEqual(expect.stringContaining("whole"));
  });
});

/** A long thread of which a call was made, and what the next call reads and gives. */
async function started(
  given: Partial<HistoryManagerOptions> = {},
  call: Partial<ModelCallRequest> = {},
) {
  const store = watchedReads(memoryStore());
  const options = managerOptions({ store, window: WINDOW, compressor: prefixCompressor, ...given });
  await fill(store, 200);
  const history = createHistoryManager(options);
  const ask = async (other: Partial<ModelCallRequest> = {}, of: typeof store = store) => {
    const request = { ...CALL, ...call, ...other };
    const whole = createHistoryManager({ ...options, store: wholeReads(of) });
    const expected = await whole.historyForModelCall(request);
    of.reads.length = 0;
    const asked = of === store ? history : createHistoryManager({ ...options, store: of });
    const made = await asked.historyForModelCall(request);
    expect(JSON.stringify(made)).toBe(JSON.stringify(expected));
    return of.reads.map(({ kind }) => kind);
  };
  await ask();
  await history.addUserMessage({ id: "q", content: "And now?" });
  return { store, history, ask };
}

const SLOT = "history-manager/prompt:[null,null,null]";

describe("a call that cannot prove that its view has only grown", () => {
  it("reads the view whole after a compaction, and after one that was taken back, by whomever", async () => {
    const { store, history, ask } = await started();
    const made = await history.compress({ view: "thread" });
    expect(made.outcome).toBe("compressed");
    expect(await ask()).toContain("whole");
    await ask();
    expect(await ask()).toEqual(["since"]);
    await store.expand("thread-1", made.outcome === "compressed" ? made.compaction.summary.id : "");
    expect(await ask()).toContain("whole");
    expect(await ask()).toEqual(["since"]);
  });

  it("reads it whole where the thread was rewound", async () => {
    const { store, ask } = await started();
    const shorter = await fromOther(store, 180);
    expect(await ask({}, shorter)).toContain("whole");
    const longer = await fromOther(store, 180, turns(40, 800));
    expect(await ask({}, longer)).toContain("whole");
  });

  it("reads it whole where more or fewer entries came than the thread has grown by", async () => {
    const { store, ask } = await started();
    for (const by of [-1, 1]) {
      const other = watchedReads({
        ...store,
        read: async (...call) => {
          const read = await store.read(...call);
          return { ...read, version: read.version + by };
        },
      });
      expect(await ask({}, other)).toContain("whole");
    }
  });

  it("reads it whole where the plan is damaged, or was made by a release that did not tell what it read", async () => {
    const { store, ask } = await started();
    for (const change of [{ plan: 7 }, { basis: 7 }, { basis: undefined }]) {
      const { value, revision } = (await store.getState("thread-1", SLOT)) ?? { revision: 0 };
      const damaged = JSON.parse(JSON.stringify({ ...Object(value), ...change }));
      await store.setState("thread-1", SLOT, damaged, { expectedRevision: revision });
      // What this process has kept is no longer stored.
      expect(await ask()).toEqual(["since", "whole"]);
      expect(await ask()).toEqual(["since"]);
    }
  });

  it("reads it whole where other uploads are asked for, another filter, another window or other tools", async () => {
    const { ask } = await started();
    const last: HistoryFilter = {
      name: "last",
      query: () => ({ clauses: [{}], view: "thread" }),
      refine: (entries) => entries.slice(-350),
    };
    for (const other of [
      { uploads: [] },
      { filter: last },
      { window: { contextTokens: 700 } },
      { tools: [{ name: "look" }] },
    ]) {
      expect(await ask(other)).toContain("whole");
      await ask();
      expect(await ask()).toEqual(["since"]);
    }
  });

  it("reads it whole at each call where turns have a share, and once where the history must be repaired", async () => {
    const shared = await started({ maxHistoryShare: 0.5 });
    expect(await shared.ask()).toEqual(["whole"]);
    const { history, ask, store: memory } = await started();
    await history.addToolCalls({ id: "x", toolCalls: [{ id: "c", name: "look", arguments: "" }] });
    await history.addUserMessage({ id: "q2", content: "Well?" });
    expect(await ask()).toContain("since");
    expect(await ask()).toEqual(["since"]);
    // It is remembered, until another compacts it.
    const other = createHistoryManager(
      managerOptions({ store: memory, compressor: prefixCompressor }),
    );
    expect((await other.compress({ view: "thread" })).outcome).toBe("compressed");
    expect(await ask()).toEqual(["since", "whole"]);
  });
});

/** A store in which the thread has its first entries, and others behind them. */
async function fromOther(
  store: HistoryStore,
  count: number,
  others: readonly HistoryEntry[] = [],
): Promise<ReturnType<typeof watchedReads>> {
  const other = watchedReads(memoryStore());
  await fill(other, count);
  if (others.length > 0) await other.append("thread-1", others);
  const state = await store.getState("thread-1", SLOT);
  if (state) await other.setState("thread-1", SLOT, state.value, { expectedRevision: 0 });
  return other;
}
