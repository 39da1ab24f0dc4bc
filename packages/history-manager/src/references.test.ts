import { HistoryError, observation } from "@agent-history/core";
import type { HistoryStore } from "@agent-history/core";
import { checkHistory } from "@agent-history/core/check";
import { describe, expect, it } from "vitest";

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

  it("are not lost with an answer: what was stored has its number, and a reserved number goes to no other source", async () => {
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

      expect([again?.sources?.[0]?.number, number]).toEqual(isKept ? [1, 2] : [3, 2]);
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
  it("are shown until a cut is made, and from then on no more; their numbers and the log stay", async () => {
    const history = createHistoryManager(managerOptions({ window: { contextTokens: 170 } }));
    await history.addUserMessage({ content: "q" });
    await call(history, ["a", "b", "c"]);
    const before = await history.historyForModelCall(CALL);
    await history.addAssistantMessage({ content: "Cites one [source2]." });
    await history.addUserMessage({ content: "q" });
    const still = await history.historyForModelCall(CALL);
    await history.addAssistantMessage({ content: "x".repeat(80) });
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

  it("are counted as what is left of them, also where a cut spares what was sent", async () => {
    const history = createHistoryManager(managerOptions({ window: { contextTokens: 400 } }));
    await history.addUserMessage({ content: "q" });
    await call(history, ["a", "b", "c"]);
    await history.historyForModelCall(CALL);
    await history.addAssistantMessage({ content: "Nothing." });
    await turn(history, "Nothing.", ...Array.from("defghijklmno"));
    await history.addUserMessage({ content: "q" });
    const { entries, counts } = await history.historyForModelCall(CALL);

    expect(results(entries)).toHaveLength(2);
    expect(counts.shownTokens).toBe(sizeOf(entries));
  });

  it("leave one sentence where none was cited, beside what the tool said", async () => {
    const history = createHistoryManager(managerOptions());
    await turn(history, "Nothing.", "a");
    await history.addToolCallResults([
      { callId: "c9", toolName: "late", sources: [{ id: "z", text: "z" }] },
    ]);
    const first = await history.historyForModelCall({ ...CALL, purpose: "first" });
    expect(results(first.entries)).toEqual(["observation: No source of this result was cited."]);
  });

  it("come not back by a later citation before the next cut, so that what was sent stays", async () => {
    const history = createHistoryManager(managerOptions());
    await turn(history, "Cites [source1].", "a", "b");
    const first = await history.historyForModelCall(CALL);
    await turn(history, "Cites [source2].", "c");
    const second = await history.historyForModelCall(CALL);

    expect(results(first.entries)).toEqual(["observation: [source1]"]);
    expect(results(second.entries)).toEqual(["observation: [source1]", "observation: [source3]"]);
    expect(second.counts.isContinued).toBe(true);
    const again = await history.historyForModelCall({ ...CALL, purpose: "anew" });
    expect(results(again.entries)).toEqual([
      "observation: [source1][source2]",
      "observation: No source of this result was cited.",
    ]);
  });

  it("of a turn without an answer, and pinned ones, are shown", async () => {
    const history = createHistoryManager(managerOptions());
    const open = history.beginTurn("open");
    await open.addUserMessage({ content: "q" });
    await call(open, ["a"]);
    const done = history.beginTurn("done");
    const pinned = { callId: "p", toolName: "t", pinned: true, sources: [{ id: "p", text: "p" }] };
    await done.addToolCalls({ toolCalls: [{ id: "p", name: "t", arguments: "" }] });
    await done.addToolCallResults([pinned]);
    await turn(done, "Nothing.", "b");
    const { entries } = await history.historyForModelCall(CALL);

    expect(results(entries)).toEqual([
      "observation: [source1]",
      "observation: [source2]",
      "observation: No source of this result was cited.",
    ]);
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

async function turn(
  history: HistoryManager,
  answer: string,
  ...ids: readonly string[]
): Promise<void> {
  await history.addUserMessage({ content: "q" });
  await call(history, ids);
  await history.addAssistantMessage({ content: answer });
}

function results(entries: Parameters<typeof promptText>[0]): readonly string[] {
  return promptText(entries.filter(({ type }) => type === "observation"));
}

function sizeOf(entries: Parameters<typeof promptText>[0]): number {
  const { counter } = managerOptions();
  return entries.reduce((sum, entry) => sum + Number(counter.countEntry(entry)), 0);
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
