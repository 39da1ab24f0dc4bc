import { HistoryError, observation } from "@agent-history/core";
import type { HistoryStore } from "@agent-history/core";
import { checkHistory } from "@agent-history/core/check";
import { createReducer } from "@agent-history/reducer";
import { describe, expect, it } from "vitest";

import { counter } from "../test-support/character-counter.ts";
import { countingIds, managerOptions, promptText } from "../test-support/manager-options.ts";
import { createHistoryManager } from "./create-history-manager.ts";
import type { HistoryManager, HistoryManagerOptions } from "./index.ts";

const CALL = { systemMessage: "" };

describe("source numbers", () => {
  it("are given once for the whole thread, across tools, managers and restarts", async () => {
    const options = managerOptions();
    const first = createHistoryManager(options);
    expect(await found(first, "a", "b")).toEqual([1, 2]);
    expect(await found(first, "b", "c", "b")).toEqual([2, 3, 2]);
    const second = createHistoryManager(options);
    await first.addGlobalObservation({ content: "", sources: [{ id: "d", text: "d" }] });
    expect(await found(second, "e", "a", "d")).toEqual([5, 1, 4]);
    expect(await found(first, "f", "e")).toEqual([6, 5]);
  });

  it("are not given again where others number too, or where what bore them can no longer be read", async () => {
    const options = managerOptions();
    const history = createHistoryManager(options);
    const source = { number: 7, id: "x", text: "x" };
    const result = { callId: "c", toolName: "t", outcome: "success", content: "" } as const;
    await history.append([observation({ ...result, sources: [source] })]);
    expect(await found(history, "a")).toEqual([8]);

    const blind: HistoryStore = {
      ...options.store,
      read: async (threadId, given) => ({
        ...(await options.store.read(threadId, given)),
        entries: [],
      }),
    };
    expect(await found(createHistoryManager({ ...options, store: blind }), "b")).toEqual([9]);
  });

  it("are not lost with an answer: a number is its source's, whether the result was stored or not", async () => {
    for (const isKept of [true, false]) {
      const options = managerOptions();
      const fault = { isArmed: true };
      const store = losingStore(options, fault, isKept);
      const history = createHistoryManager({ ...options, store, maxRetries: 0 });
      const result = { id: "o1", callId: "c", toolName: "t", sources: [{ id: "a", text: "a" }] };
      const lost = history.addToolCallResults([result]);
      await expect(lost).rejects.toMatchObject({
        code: "OUTCOME_UNKNOWN",
        details: { entryIds: ["o1"] },
      });
      const other = createHistoryManager({ ...options, ...countingIds("other") });
      const [number] = await found(other, "b");
      const [again] = await history.addToolCallResults([result]);

      expect([again?.sources?.[0]?.number, number]).toEqual([1, 2]);
      expect(
        checkHistory((await history.read()).entries).filter(({ law }) => law === "L6"),
      ).toEqual([]);
    }
  });
});

describe("citedSources", () => {
  it("gives the sources that a text cites, in its order", async () => {
    const history = createHistoryManager(managerOptions());
    await found(history, "a", "b", "c");
    const text = "One [source: 3, 1], two [source3][source9].";
    expect((await history.citedSources(text)).map(({ id }) => id)).toEqual(["c", "a"]);
    expect(await history.citedSources("None.")).toEqual([]);
  });
});

describe("sources that no answer cites", () => {
  it("are the first to go when a cut is made; their numbers and the log stay", async () => {
    const reducer = createReducer({ counter, lowWatermark: 0.9 });
    const window = { contextTokens: 200 };
    const history = createHistoryManager(managerOptions({ window, reducer }));
    await history.addUserMessage({ content: "q" });
    await call(history, ["a", "b", "c"]);
    const before = await history.historyForModelCall(CALL);
    await history.addAssistantMessage({ content: "Cites one [source2]." });
    await history.addUserMessage({ content: "q" });
    const still = await history.historyForModelCall(CALL);
    await history.addAssistantMessage({ content: "x".repeat(85) });
    await history.addUserMessage({ content: "q" });
    const cut = await history.historyForModelCall(CALL);

    expect(results(before.entries)).toEqual(["observation: [source1][source2][source3]"]);
    expect(results(still.entries)).toEqual(["observation: [source1][source2][source3]"]);
    expect(still.counts.isContinued).toBe(true);
    expect(results(cut.entries)).toEqual(["observation: [source2]"]);
    expect(cut.counts.isContinued).toBe(false);
    expect(cut.counts.shownTokens).toBe(sizeOf(cut.entries));
    const log = (await history.read()).entries;
    expect(results(log)).toEqual(["observation: [source1][source2][source3]"]);
  });

  it("leave a line where a tool said nothing else", async () => {
    const reducer = createReducer({ counter, lowWatermark: 0.9 });
    const window = { contextTokens: 200 };
    const history = createHistoryManager(managerOptions({ window, reducer }));
    await history.addUserMessage({ content: "q" });
    await call(history, ["a longer id"]);
    await history.addAssistantMessage({ content: "x".repeat(60) });
    await history.addUserMessage({ content: "q" });
    const { entries } = await history.historyForModelCall(CALL);
    expect(results(entries)).toEqual(["observation: [sources left out]"]);
  });
});

let calls = 0;

async function found(
  history: HistoryManager,
  ...ids: readonly string[]
): Promise<readonly number[]> {
  const [result] = await call(history, ids);
  return result?.sources?.map(({ number }) => number) ?? [];
}

async function call(
  history: HistoryManager,
  ids: readonly string[],
): ReturnType<HistoryManager["addToolCallResults"]> {
  const callId = `call-${(calls += 1)}`;
  const { id } = await history.addToolCalls({
    toolCalls: [{ id: callId, name: "t", arguments: "" }],
  });
  const sources = ids.map((source) => ({ id: source, text: source.repeat(10) }));
  return history.addToolCallResults([{ callId, actionId: id, toolName: "t", sources }]);
}

function results(entries: Parameters<typeof promptText>[0]): readonly string[] {
  return promptText(entries.filter(({ type }) => type === "observation"));
}

function sizeOf(entries: Parameters<typeof promptText>[0]): number {
  return entries.reduce((sum, entry) => sum + counter.countEntry(entry), 0);
}

/** A store that loses the answer to the first append of a result. */
function losingStore(
  { store }: HistoryManagerOptions,
  fault: { isArmed: boolean },
  isKept: boolean,
): HistoryStore {
  return {
    ...store,
    append: async (...append) => {
      if (!fault.isArmed) return store.append(...append);
      fault.isArmed = false;
      if (isKept) await store.append(...append);
      throw new HistoryError("The answer was lost.", { code: "OUTCOME_UNKNOWN" });
    },
  };
}
