import { assistantMessage, globalObservation, userMessage } from "@agent-history/core";
import type { HistoryEntry } from "@agent-history/core";
import { memoryStore } from "@agent-history/store-kit";
import { describe, expect, it } from "vitest";

import { managerOptions, promptText } from "../test-support/manager-options.ts";
import { createHistoryManager } from "./create-history-manager.ts";
import type { HistoryManager } from "./index.ts";

describe("a thread whose end is replaced", () => {
  it("is shown to the model as it is now, under the ids that it had (L17)", async () => {
    const options = managerOptions();
    const { store, threadId } = options;
    const history = createHistoryManager(options);
    await store.append(threadId, [
      userMessage({ id: "u1", content: "first" }),
      assistantMessage({ id: "a1", content: "one" }),
      userMessage({ id: "u2", content: "second" }),
    ]);
    const shown = async (): Promise<readonly string[]> => {
      const { entries } = await history.historyForModelCall({ systemMessage: "s" });
      return promptText(entries)
        .slice(1)
        .map((line) => line.replace(/^.*: /, ""));
    };
    expect(await shown()).toEqual(["first", "one", "second"]);
    await store.replaceSuffix(threadId, {
      from: "a1",
      expectedVersion: 3,
      replacement: [
        assistantMessage({ id: "a1", content: "another" }),
        userMessage({ id: "u2", content: "an edit" }),
      ],
      operationId: "edit",
    });
    expect(await shown()).toEqual(["first", "another", "an edit"]);
    await store.append(threadId, [
      assistantMessage({ id: "a2", content: "answer" }),
      userMessage({ id: "u3", content: "third" }),
    ]);
    expect(await shown()).toEqual(["first", "another", "an edit", "answer", "third"]);
    await store.replaceSuffix(threadId, {
      from: "u2",
      expectedVersion: "any",
      replacement: [userMessage({ id: "u4", content: "from here" })],
      operationId: "again",
    });
    expect(await shown()).toEqual(["first", "another", "from here"]);
    await createHistoryManager(options).addUserMessage({ content: "and on" });
    expect(await shown()).toEqual(["first", "another", "from here", "and on"]);
  });

  it("gives the numbers of sources on, where the results that had the last of them were replaced (L6)", async () => {
    const options = managerOptions();
    const { store, threadId } = options;
    const history = createHistoryManager(options);
    await history.addUserMessage({ content: "q" });
    const add = async (id: string): Promise<readonly (number | undefined)[]> => {
      const entry = await history.addGlobalObservation({
        id,
        content: "found",
        sources: [{ id: `s ${id}`, text: id }],
      });
      return (entry.sources ?? []).map(({ number }) => number);
    };
    expect(await add("g1")).toEqual([1]);
    expect(await add("g2")).toEqual([2]);
    await store.replaceSuffix(threadId, {
      from: "g2",
      expectedVersion: "any",
      replacement: [],
      operationId: "regenerate",
    });
    expect(await add("g3")).toEqual([3]);
  });

  it("never gives a number to a second source, whichever process gives it after a replacement (L6)", async () => {
    const options = managerOptions();
    const { store, threadId } = options;
    const [one, other] = [createHistoryManager(options), createHistoryManager(options)];
    const add = async (manager: HistoryManager, id: string): Promise<number | undefined> => {
      const sources = [{ id, text: id }];
      return (await manager.addGlobalObservation({ content: id, sources })).sources?.[0]?.number;
    };
    await one.addUserMessage({ id: "q", content: "q" });
    expect([await add(one, "A"), await add(other, "A"), await add(one, "B")]).toEqual([1, 1, 2]);
    const replacement = [userMessage({ id: "q2", content: "again" })];
    const edit = { from: "q", expectedVersion: "any", replacement, operationId: "edit" } as const;
    await store.replaceSuffix(threadId, edit);
    const later = [other, one, createHistoryManager(options)];
    const numbers = [];
    for (const [index, manager] of later.entries())
      numbers.push(await add(manager, `new ${index}`));
    expect(numbers).toEqual([3, 4, 5]);
  });

  it("keeps the number of a source whose results were replaced, in this process and in the next (L6)", async () => {
    const options = managerOptions();
    const { store, threadId } = options;
    const history = createHistoryManager(options);
    await history.addUserMessage({ content: "q" });
    const add = async (manager: HistoryManager, id: string): Promise<number | undefined> => {
      const sources = [{ id: "same", text: "same" }];
      const entry = await manager.addGlobalObservation({ id, content: "found", sources });
      return entry.sources?.[0]?.number;
    };
    expect(await add(history, "g1")).toBe(1);
    const replace = async (id: string, replacement: readonly HistoryEntry[]): Promise<unknown> =>
      store.replaceSuffix(threadId, {
        from: id,
        expectedVersion: "any",
        replacement,
        operationId: id,
      });
    await replace("g1", []);
    expect(await add(history, "g2")).toBe(1);
    await replace("g2", [globalObservation({ id: "g2", content: "another" })]);
    expect(await add(createHistoryManager(options), "g3")).toBe(1);
    const other = { id: "g4", content: "found", sources: [{ id: "other", text: "other" }] };
    expect((await history.addGlobalObservation(other)).sources?.[0]?.number).toBe(2);
  });

  it("is fitted without its old plan after an export, whatever ids were used again (L4, L17)", async () => {
    const options = { ...managerOptions(), window: { contextTokens: 400 } };
    const { store, threadId } = options;
    const history = createHistoryManager(options);
    await store.append(threadId, [
      userMessage({ id: "u1", content: "first" }),
      assistantMessage({ id: "a1", content: "one" }),
    ]);
    await history.historyForModelCall({ systemMessage: "s" });
    await store.replaceSuffix(threadId, {
      from: "a1",
      expectedVersion: "any",
      replacement: [assistantMessage({ id: "a1", content: "long ".repeat(200) })],
      operationId: "edit",
    });
    await store.append(threadId, [userMessage({ id: "u2", content: "second" })]);
    const other = { ...options, store: memoryStore() };
    const moved = createHistoryManager(other);
    await other.store.importThread(threadId, store.exportThread(threadId));
    const { entries, plan } = await moved.historyForModelCall({ systemMessage: "s" });
    const count = (sum: number, entry: HistoryEntry): number =>
      sum + Number(options.counter.countEntry(entry));
    expect(plan.totalTokens).toBe(entries.reduce(count, Number(options.counter.countRequest())));
    expect(plan.totalTokens).toBeLessThanOrEqual(400);
    expect(plan.continued).toBeUndefined();
  });
});
