import { assistantMessage, userMessage } from "@agent-history/core";
import { describe, expect, it } from "vitest";

import { managerOptions, promptText } from "../test-support/manager-options.ts";
import { createHistoryManager } from "./create-history-manager.ts";

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
});
