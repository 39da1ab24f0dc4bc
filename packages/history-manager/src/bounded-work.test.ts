import { assistantMessage, userMessage } from "@agent-history/core";
import type { HistoryStore } from "@agent-history/core";
import { createReducer } from "@agent-history/reducer";
import { lexicalScorer } from "@agent-history/reducer/lexical";
import { deepFreeze } from "@agent-history/testkit";
import { describe, expect, it } from "vitest";

import { counter } from "../test-support/character-counter.ts";
import { intercept } from "../test-support/faulty-store.ts";
import { WORKER, managerOptions, promptText } from "../test-support/manager-options.ts";
import { watchedReads } from "../test-support/watched-reads.ts";
import { createHistoryManager } from "./create-history-manager.ts";

describe("one more turn", () => {
  it("counts what is new and asks the store as often as ever, however long the thread is", async () => {
    const options = managerOptions();
    let counted = 0;
    const counting: typeof counter = {
      ...counter,
      countEntry: (entry) => {
        counted += 1;
        return counter.countEntry(entry);
      },
    };
    const verbs: string[] = [];
    const store = intercept(options.store, async (verb, run) => {
      verbs.push(verb);
      return run();
    });
    const reducer = createReducer({ counter: counting });
    const history = createHistoryManager({ ...options, store, counter: counting, reducer });
    const costs: string[] = [];
    for (let turn = 1; turn <= 30; turn++) {
      counted = 0;
      verbs.length = 0;
      await history.addUserMessage({ content: "q" });
      const call = { id: "c", name: "t", arguments: "" };
      const { id } = await history.addToolCalls({ toolCalls: [call] });
      const sources = [{ id: `s${turn}`, text: "x" }];
      const answer = { callId: "c", toolName: "t", actionId: id, sources };
      await history.addToolCallResults([answer]);
      await history.historyForModelCall({ systemMessage: "s" });
      await history.addAssistantMessage({ content: "a" });
      costs.push(`${counted} counts: ${verbs.join(" ")}`);
    }
    expect(new Set(costs.slice(2)).size).toBe(1);
  });

  it("reads what the plan keeps and what is new in a fresh process, however long the thread is", async () => {
    const rowsAt = async (turns: number): Promise<readonly number[]> => {
      const options = managerOptions({ window: { contextTokens: 2000 } });
      for (let turn = 0; turn < turns; turn++) {
        await options.store.append(options.threadId, [
          userMessage({ id: `u${turn}`, content: `Question ${turn}` }),
          assistantMessage({ id: `a${turn}`, content: `Answer ${turn}` }),
        ]);
      }
      const rows: number[] = [];
      for (let turn = 0; turn < 12; turn++) {
        // Another handle is another process.
        const store = watchedReads(options.store);
        const history = createHistoryManager({ ...options, store });
        await history.addUserMessage({ content: `And ${turn}?` });
        await history.historyForModelCall({ systemMessage: "s" });
        await history.addAssistantMessage({ content: "So." });
        rows.push(store.reads.reduce((sum, one) => sum + one.rows, 0));
      }
      return rows;
    };
    const [short, long] = [await rowsAt(200), await rowsAt(2000)];
    expect(long[0]).toBeGreaterThan(4000);
    expect(Math.max(...long.slice(1))).toBeLessThan(200);
    expect(Math.max(...long.slice(1))).toBeLessThanOrEqual(Math.max(...short.slice(1)) + 40);
  });
});

describe("a question to a reducer that ranks the whole view", () => {
  it("reads only what is new, in a process that has read the view before", async () => {
    const options = managerOptions({ window: { contextTokens: 2000 } });
    for (let turn = 0; turn < 200; turn++) {
      await options.store.append(options.threadId, [
        userMessage({ id: `u${turn}`, content: `Question ${turn}` }),
        assistantMessage({ id: `a${turn}`, content: `Answer ${turn}` }),
      ]);
    }
    const store = watchedReads(options.store);
    const reducer = createReducer({ counter, scorer: lexicalScorer() });
    const history = createHistoryManager({ ...options, store, reducer });
    const rows: number[] = [];
    for (let turn = 0; turn < 6; turn++) {
      store.reads.length = 0;
      await history.addUserMessage({ content: `And ${turn}?` });
      await history.historyForModelCall({ systemMessage: "s" });
      await history.addAssistantMessage({ content: "So." });
      rows.push(store.reads.reduce((sum, one) => sum + one.rows, 0));
    }
    expect(rows[0]).toBeGreaterThan(400);
    expect(Math.max(...rows.slice(1))).toBeLessThan(10);
  });
});

describe("what goes in", () => {
  it("is never changed", async () => {
    const history = createHistoryManager(managerOptions());
    const turn = history.beginTurn("t");
    const file = { content: [{ type: "text", text: "file" }] } as const;
    await turn.addUserMessage(deepFreeze({ content: "q", attachments: [file] }));
    const working = turn.forTask(
      await turn.delegate(deepFreeze({ content: "Do.", agent: WORKER })),
    );
    const toolCalls = [{ id: "c", name: "t", arguments: "" }];
    await working.addToolCalls(deepFreeze({ toolCalls }));
    const result = { callId: "c", toolName: "t", sources: [{ id: "a", text: "A" }] };
    await working.addToolCallResults(deepFreeze([result]));
    const call = { systemMessage: "s", renderedUserMessage: "r", uploads: [], tools: [] };
    const { entries } = await working.historyForModelCall(deepFreeze(call));
    expect(promptText(entries)).toEqual([
      "system_message: s",
      "task: r",
      "action: ",
      "observation: [source1]",
    ]);
  });
});

describe("reading", () => {
  it("sees what was asked to be kept before, awaited or not", async () => {
    const options = managerOptions();
    const slow: HistoryStore = {
      ...options.store,
      append: async (...call) => {
        for (let ticks = 0; ticks < 20; ticks++) await Promise.resolve();
        return options.store.append(...call);
      },
    };
    const history = createHistoryManager({ ...options, store: slow });
    const kept = history.addMemory({ id: "m1", content: "1" });
    const { entries } = await history.historyForModelCall({ systemMessage: "s" });
    expect(promptText(entries)).toEqual(["system_message: s", "memory: 1"]);
    await kept;
  });
});
