import { assistantMessage, userMessage } from "@agent-history/core";
import type { HistoryEntry, Reducer } from "@agent-history/core";
import { createReducer } from "@agent-history/reducer";
import { memoryStore } from "@agent-history/store-kit";
import { describe, expect, it } from "vitest";

import { counter } from "../test-support/character-counter.ts";
import { faultyStore, intercept } from "../test-support/faulty-store.ts";
import { managerOptions } from "../test-support/manager-options.ts";
import { createHistoryManager } from "./create-history-manager.ts";
import type { HistoryManagerOptions } from "./index.ts";

const CALL = { systemMessage: "You answer." };
const THREAD = "thread-1";
const SLOT = "history-manager/prompt:[null,null,null]";
const WINDOW = { contextTokens: 600 };

function turns(count: number): readonly HistoryEntry[] {
  return Array.from({ length: count }, (_, turn) => [
    userMessage({ id: `u${turn}`, createdAtMs: 1, content: `Question number ${turn}` }),
    assistantMessage({ id: `a${turn}`, createdAtMs: 1, content: `Answer number ${turn}` }),
  ]).flat();
}

/** A manager that went on for some turns, with the verbs that its store was asked for since they were last taken. */
async function wentOn(given: Partial<HistoryManagerOptions> = {}) {
  const stored = memoryStore();
  await stored.append(THREAD, turns(60));
  const verbs: string[] = [];
  const store = intercept(stored, async (verb, run) => {
    verbs.push(verb);
    return run();
  });
  const options = managerOptions({ store, window: WINDOW, ...given });
  const history = createHistoryManager(options);
  await history.historyForModelCall(CALL);
  const ask = async () => {
    verbs.length = 0;
    const call = await history.historyForModelCall(CALL);
    return { call, verbs: verbs.join(" ") };
  };
  // The first makes room, so that those to come only add.
  for (const content of ["And?", "Where?", "When?"]) {
    await history.addUserMessage({ content });
    await ask();
  }
  return { stored, history, options, ask };
}

describe("a plan that this process kept last", () => {
  it("is continued without being read: the write that follows proves that nobody kept another", async () => {
    const { history, ask } = await wentOn();
    for (let turn = 0; turn < 3; turn++) {
      await history.addAssistantMessage({ content: "So." });
      expect((await ask()).verbs).toBe("read setState");
    }
  });

  it("is read where nothing is to be written", async () => {
    const { ask } = await wentOn();
    await ask();
    const again = await ask();
    expect(again.verbs).toBe("read getState");
    expect(again.call.counts.isContinued).toBe(true);
  });

  it("is not continued where another process kept one meanwhile: that one is", async () => {
    const { stored, options, history, ask } = await wentOn();
    const elsewhere = createHistoryManager({ ...options, store: stored });
    await elsewhere.addAssistantMessage({ content: "So." });
    await elsewhere.historyForModelCall({ systemMessage: "You answer briefly." });
    await history.addUserMessage({ content: "Why?" });
    const { call, verbs } = await ask();
    expect(verbs).toMatch(/^read setState getState getState read/);
    // It is the plan of other instructions.
    expect(call.plan.continued).toMatchObject({ stoppedBy: "change" });
    await history.addAssistantMessage({ content: "Because." });
    expect((await ask()).verbs).toBe("read setState");
  });

  it("is kept once more, or taken as it is, where the answer of its write was lost", async () => {
    for (const kind of ["lost-before", "lost-after"] as const) {
      const { stored, options, history } = await wentOn();
      await history.addAssistantMessage({ content: "So." });
      const faulty = createHistoryManager({
        ...options,
        store: faultyStore(stored, { at: 4, count: 1, kind }),
      });
      await faulty.historyForModelCall(CALL);
      await faulty.addUserMessage({ content: "Why?" });
      const made = await faulty.historyForModelCall(CALL);
      const kept = await stored.getState(THREAD, SLOT);
      expect(JSON.stringify(kept?.value)).toContain(made.plan.decisions.at(-1)?.to);
    }
  });
});

describe("a view that was laid out for a plan", () => {
  /** The lists that a reducer was given. */
  async function listsOf(isTogether: boolean) {
    const reducer = createReducer({ counter });
    const lists: (readonly HistoryEntry[])[] = [];
    const lengths: number[] = [];
    const watched: Reducer = {
      ...reducer,
      reduce: async (entries, request) => {
        lists.push(entries);
        lengths.push(entries.length);
        for (let ticks = 0; ticks < 20; ticks++) await Promise.resolve();
        // Nobody else has added to it meanwhile.
        expect(entries).toHaveLength(lengths[lists.lastIndexOf(entries)] ?? -1);
        return reducer.reduce(entries, request);
      },
    };
    const { history } = await wentOn({ reducer: watched });
    lists.length = 0;
    lengths.length = 0;
    for (let turn = 0; turn < 3; turn++) {
      await history.addAssistantMessage({ content: `${turn}` });
      const calls = isTogether ? [1, 2] : [1];
      const made = await Promise.all(calls.map(async () => history.historyForModelCall(CALL)));
      for (const { entries, counts } of made) {
        expect(counts.isContinued).toBe(true);
        expect(entries.at(-1)?.content).toBe(`${turn}`);
        expect(lists.includes(entries)).toBe(false);
      }
    }
    return lists;
  }

  it("serves the next call too, so that what was not read is not written again", async () => {
    const lists = await listsOf(false);
    expect(lists).toHaveLength(3);
    expect(new Set(lists).size).toBe(1);
  });

  it("serves one call at a time", async () => {
    const lists = await listsOf(true);
    expect(lists.length).toBeGreaterThanOrEqual(6);
    expect(lists[0] === lists[1]).toBe(false);
  });
});
