import { describe, expect, it } from "vitest";

import { counter } from "../test-support/character-counter.ts";
import { faultyStore, intercept } from "../test-support/faulty-store.ts";
import { WORKER, codeOf, managerOptions } from "../test-support/manager-options.ts";
import { createHistoryManager } from "./create-history-manager.ts";

const file = { name: "a.txt", content: "Rain" };

describe("addUserMessage", () => {
  it("keeps original, rendered and attachments together, linked", async () => {
    const history = createHistoryManager(managerOptions());
    const { message, attachments } = await history.beginTurn("t").addUserMessage({
      id: "u1",
      content: "Hi",
      rendered: "The user says: Hi",
      attachments: [file, { ...file, id: "own" }],
    });
    const { entries, version } = await history.read();

    expect(version).toBe(3);
    expect(entries).toEqual([message, ...attachments]);
    expect(message).toMatchObject({ content: "Hi", rendered: "The user says: Hi", turnId: "t" });
    expect(attachments).toMatchObject([
      { id: "u1/attachment/0", messageId: "u1", name: "a.txt", turnId: "t" },
      { id: "own", messageId: "u1" },
    ]);
  });

  it("is kept once, however often it is sent, and gives back what was kept", async () => {
    const history = createHistoryManager(managerOptions());
    const first = await history.addUserMessage({ id: "u1", content: "Hi", attachments: [file] });
    const second = await history.addUserMessage({ id: "u1", content: "Hi", attachments: [file] });

    // The store named the turn.
    expect(second).toMatchObject(first);
    expect((await history.read()).version).toBe(2);
    expect(await codeOf(history.addUserMessage({ id: "u1", content: "Ho" }))).toBe("DUPLICATE_ID");
  });

  it("refuses more than one write takes, and keeps nothing of it", async () => {
    const history = createHistoryManager(managerOptions());
    const many = Array.from({ length: 500 }, () => file);
    const large = Array.from({ length: 5 }, () => ({ content: "x".repeat(900_000) }));
    for (const attachments of [many, large]) {
      const added = history.addUserMessage({ content: "Hi", attachments });
      expect(await codeOf(added)).toBe("TOO_LARGE");
    }
    await history.addUserMessage({ content: "Hi", attachments: many.slice(1) });
    expect((await history.read()).version).toBe(500);
  });
});

describe("addToolCallResults", () => {
  it("says of a failure what the model must know, and of an empty search that it is empty", async () => {
    const history = createHistoryManager(managerOptions());
    const answer = { callId: "c", toolName: "search" };
    const [failed, denied, empty, silent, words] = await history.addToolCallResults([
      { ...answer, outcome: "error", error: "no such index" },
      { ...answer, outcome: "denied", error: "not allowed" },
      { ...answer, sources: [] },
      { ...answer },
      { ...answer, content: "Nothing.", sources: [] },
    ]);

    expect(failed).toMatchObject({
      outcome: "error",
      content: "Tool call search failed with error: no such index",
    });
    expect(denied).toMatchObject({
      outcome: "denied",
      content: "Tool call search failed with error: not allowed",
    });
    expect(empty).toMatchObject({ outcome: "success", content: "No relevant sources found." });
    expect(silent).toMatchObject({ outcome: "success", content: "" });
    expect(words).toMatchObject({ outcome: "success", content: "Nothing." });
    expect(empty).not.toHaveProperty("sources");
  });

  it("takes what a tool's `run` returned, an error as one, and its sources not twice", async () => {
    const history = createHistoryManager(managerOptions());
    await history.addUserMessage({ content: "The boiler is in room 7." });
    const [search] = history.recallTools();
    const answers = [await search?.run({ query: "boiler" }), await search?.run({ query: 1 })];
    const calls = answers.flatMap((answer, nth) =>
      answer === undefined ? [] : [{ callId: `c${nth}`, toolName: "search", ...answer }],
    );

    const [found, failed] = await history.addToolCallResults(calls);

    expect(found).toMatchObject({ outcome: "success", content: answers[0]?.content });
    expect(found).not.toHaveProperty("sources");
    expect(failed).toMatchObject({ outcome: "error", content: answers[1]?.content });
  });

  it("splits what is too much for one write, in order, and numbers it through", async () => {
    const history = createHistoryManager(managerOptions());
    const results = Array.from({ length: 700 }, (_, index) => ({
      callId: `c${index}`,
      toolName: "read",
      sources: [{ id: `s${index}`, text: "x" }],
    }));
    const kept = await history.addToolCallResults(results);

    expect(kept.flatMap(({ sources = [] }) => sources.map(({ number }) => number))).toEqual(
      results.map((_, index) => index + 1),
    );
    expect((await history.read()).entries).toMatchObject(kept);
  });

  it("splits by bytes too", async () => {
    const history = createHistoryManager(managerOptions());
    const content = "日".repeat(300_000);
    const results = ["1", "2", "3", "4", "5"].map((callId) => ({ callId, toolName: "t", content }));
    await history.addToolCallResults(results);

    expect((await history.read()).version).toBe(5);
  });

  it("keeps of a second try what the first did not", async () => {
    const history = createHistoryManager(managerOptions());
    const one = { id: "o1", callId: "c1", toolName: "read", sources: [{ id: "a", text: "A" }] };
    const two = { id: "o2", callId: "c2", toolName: "read", sources: [{ id: "b", text: "B" }] };
    const [first] = await history.addToolCallResults([one]);
    const [again, second] = await history.addToolCallResults([one, two]);

    expect(again).toMatchObject({ ...first });
    expect(second).toMatchObject({ sources: [{ number: 2 }] });
    expect((await history.read()).version).toBe(2);
  });
});

describe("append", () => {
  it("keeps the counts beside the entries, and none where the counter fails", async () => {
    const options = managerOptions();
    const history = createHistoryManager(options);
    await history.addMemory({ id: "m1", content: "12345" });
    const broken = {
      ...counter,
      countEntry: () => {
        throw new Error("no");
      },
    };
    await createHistoryManager({ ...options, counter: broken }).addMemory({ content: "1" });
    const { tokens } = await history.read();

    expect(tokens.get("characters")).toEqual([5, undefined]);
  });

  it("tells of what was kept, once", async () => {
    const told: string[] = [];
    const onEntries = (entries: readonly { readonly id: string }[]): void => {
      for (const { id } of entries) told.push(id);
    };
    const history = createHistoryManager(managerOptions({ onEntries }));
    await history.addMemory({ id: "m1", content: "1" });
    await history.addMemory({ id: "m1", content: "1" });

    expect(told).toEqual(["m1"]);
  });

  it("keeps what is asked for without waiting in the order of the calls, however long each takes", async () => {
    const options = managerOptions();
    let patience = 20;
    const store = intercept(options.store, async (_verb, run) => {
      // Each call waits less than the one before.
      const wait = (patience -= 1);
      for (let ticks = 0; ticks < wait; ticks++) await Promise.resolve();
      return run();
    });
    const history = createHistoryManager({ ...options, store });
    const ids = Array.from({ length: 10 }, (_, index) => `m${index}`);
    await Promise.all(ids.map(async (id) => history.addMemory({ id, content: id })));

    expect((await history.read()).entries.map(({ id }) => id)).toEqual(ids);
  });

  it("goes on after a write that failed", async () => {
    const options = managerOptions();
    const store = faultyStore(options.store, { at: 1, count: 1, kind: "not-sent" });
    const history = createHistoryManager({ ...options, store });
    const [first, second] = await Promise.all([
      codeOf(history.addMemory({ id: "m1", content: "1" })),
      codeOf(history.addMemory({ id: "m2", content: "2" })),
    ]);

    expect([first, second]).toEqual(["STORE_UNAVAILABLE", undefined]);
    expect((await history.read()).entries.map(({ id }) => id)).toEqual(["m2"]);
  });

  it("stores a step once that a killed loop repeats with its ids, from another turn's scope too", async () => {
    const options = managerOptions();
    const open = () => createHistoryManager(options).beginTurn().withScope({ agent: WORKER });
    const repeat = async () => {
      const loop = open();
      const { message } = await loop.addUserMessage({ id: "m1", content: "Hi" });
      const toolCalls = [{ id: "c1", name: "read", arguments: "{}" }];
      const call = await loop.addToolCalls({ id: "a1", toolCalls });
      const answer = { id: "o1", callId: "c1", toolName: "read", content: "text" };
      const [result] = await loop.addToolCallResults([answer]);
      const said = await loop.addAssistantMessage({ id: "m2", content: "Done." });
      return [message, call, result, said].map((entry) => entry?.turnId);
    };
    const first = await repeat();
    expect(await repeat()).toEqual(first);
    const { entries } = await options.store.read(options.threadId);
    expect(entries.map(({ id }) => id)).toEqual(["m1", "a1", "o1", "m2"]);
    const other = open().addUserMessage({ id: "m1", content: "Bye" });
    await expect(other).rejects.toMatchObject({ code: "DUPLICATE_ID" });
  });
});
