import { HistoryError, userMessage } from "@agent-history/core";
import type { HistoryStore } from "@agent-history/core";
import { memoryStore } from "@agent-history/store-kit";
import fc from "fast-check";
import { beforeEach, describe, expect, it } from "vitest";

import { historySession } from "./history-session.ts";
import type { HistorySession } from "./history-session.ts";

let store: HistoryStore;
let session: HistorySession;
beforeEach(() => {
  store = memoryStore();
  session = historySession({ store, threadId: "s" });
});

const said = (content: string): object => ({ role: "user", content });
const called = (callId: string, args: string): object => ({
  type: "function_call",
  callId,
  name: "find",
  arguments: args,
});
const append = (operationId: string, ...items: object[]) => ({
  operationId,
  transaction: { type: "append_items" as const, items },
});
const replace = (operationId: string, expectedSuffix: object[], ...replacement: object[]) => ({
  operationId,
  transaction: { type: "replace_suffix" as const, expectedSuffix, replacement },
});

describe("historySession", () => {
  it("adds more bytes at once than a store takes in a batch", async () => {
    const items = Array.from({ length: 6 }, (_, nth) => said(`${nth}`.repeat(900_000)));
    await session.addItems(items);

    expect(await session.getItems()).toEqual(items);
  });

  it("gives items back as they came: equal ones, calls without results, bytes", async () => {
    const items = [
      said("one"),
      said("one"),
      called("c1", "{}"),
      { type: "reasoning", content: [], providerData: { bytes: new Uint8Array([1, 2]), n: null } },
      { role: "assistant", content: [{ type: "output_text", text: "\uD800\u0000" }], $bytes: "x" },
    ];
    await session.addItems(items);
    expect(await session.getItems()).toEqual(items);
    expect(await historySession({ store, threadId: "s" }).getItems()).toEqual(items);
    expect(await session.getItems(2)).toEqual(items.slice(-2));
    expect(await session.getItems(0)).toEqual([]);
    expect(await session.getItems(99)).toEqual(items);
    expect(await session.popItem()).toEqual(items.at(-1));
    expect(await session.getSessionId()).toBe("s");
  });

  it("finds the newest items behind many operations", async () => {
    await session.addItems([said("first")]);
    for (let at = 0; at < 60; at += 1) await session.applyHistoryTransaction(append(`o${at}`));
    expect(await session.getItems(1)).toEqual([said("first")]);
    expect(await session.popItem()).toEqual(said("first"));
    expect(await session.popItem()).toBeUndefined();
    // Operations outlive what stood before them.
    await session.applyHistoryTransaction(append("o3"));
    await expect(session.applyHistoryTransaction(append("o3", said("x")))).rejects.toThrow(
      "different",
    );
  });

  it("applies a transaction once, from any handle, also behind what came later", async () => {
    const other = historySession({ store, threadId: "s" });
    await session.applyHistoryTransaction(append("a", said("one")));
    await other.addItems([said("two")]);
    await other.applyHistoryTransaction(append("a", said("one")));
    await other.applyHistoryTransaction(replace("b", [said("two")], said("2"), said("3")));
    await session.applyHistoryTransaction(replace("b", [said("two")], said("2"), said("3")));
    await session.applyHistoryTransaction(append("a", said("one")));
    expect(await session.getItems()).toEqual([said("one"), said("2"), said("3")]);
    const failed = session.applyHistoryTransaction(replace("c", [said("two")], said("x")));
    await expect(failed).rejects.toMatchObject({ code: "INVALID_OPTION" });
    await session.clearSession();
    await other.applyHistoryTransaction(append("a", said("again")));
    expect(await session.getItems()).toEqual([said("again")]);
  });

  it("mutates calls, compacts, and keeps what was carried out", async () => {
    await session.applyHistoryTransaction(append("a", said("one")));
    await session.addItems([called("c1", "1"), said("two"), called("c1", "2"), called("c2", "3")]);
    const before = await store.read("s", { originals: true });
    const replacement = called("c1", "new");
    const mutation = { type: "replace_function_call", callId: "c1", replacement } as const;
    await session.applyHistoryMutations({ mutations: [mutation] });
    const items = [said("one"), replacement, said("two"), called("c2", "3")];
    expect(await session.getItems()).toEqual(items);
    // What stood before the call is the same, and so is what was not called.
    const after = await store.read("s", { originals: true });
    expect(after.entries.slice(0, 3)).toEqual(before.entries.slice(0, 3));
    expect(after.entries.map(({ id }) => id)).toContain(before.entries.at(-1)?.id);
    const { version } = after;
    await session.applyHistoryMutations({ mutations: [{ ...mutation, callId: "none" }] });
    await session.applyHistoryMutations({ mutations: [] });
    expect((await store.read("s")).version).toBe(version);

    await session.replaceHistoryWithCompaction([{ type: "compaction", encrypted_content: "x" }]);
    await session.applyHistoryTransaction(append("a", said("one")));
    expect(await session.getItems()).toEqual([{ type: "compaction", encrypted_content: "x" }]);
  });

  it("does with every order of changes, failures and retries what a list in memory does", async () => {
    const text = fc.constantFrom("a", "b", "c");
    const step = fc.oneof(
      fc.record({ kind: fc.constant("add" as const), texts: fc.array(text, { maxLength: 3 }) }),
      fc.record({
        kind: fc.constant("append" as const),
        id: fc.nat(5),
        texts: fc.array(text, { maxLength: 2 }),
      }),
      fc.record({
        kind: fc.constant("replace" as const),
        id: fc.nat(5),
        count: fc.nat(3),
        texts: fc.array(text, { maxLength: 2 }),
      }),
      fc.record({ kind: fc.constant("pop" as const) }),
      fc.record({ kind: fc.constant("clear" as const) }),
    );
    const fates = fc.infiniteStream(fc.constantFrom("well", "well", "before", "after"));
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 20 }), fates, async (steps, fate) => {
        const kept = memoryStore();
        const handles = [0, 1].map(() =>
          historySession({ store: unsure(kept, () => fate.next().value), threadId: "s" }),
        );
        let items: object[] = [];
        let operations = new Map<number, string>();
        for (const [at, one] of steps.entries()) {
          const handle = handles[at % 2] ?? session;
          const texts = "texts" in one ? one.texts.map(said) : [];
          if (one.kind === "add") {
            await handle.addItems(texts);
            items = items.concat(texts);
          } else if (one.kind === "clear") {
            await handle.clearSession();
            items = [];
            operations = new Map();
          } else if (one.kind === "pop") {
            expect(await handle.popItem()).toEqual(items.at(-1));
            items = items.slice(0, -1);
          } else {
            const count = one.kind === "append" ? 0 : Math.min(one.count, items.length);
            const suffix = items.slice(items.length - count);
            const args =
              one.kind === "append"
                ? append(`o${one.id}`, ...texts)
                : replace(`o${one.id}`, suffix, ...texts);
            const content = JSON.stringify(args);
            const known = operations.get(one.id);
            const done = handle.applyHistoryTransaction(args);
            if (known !== undefined && known !== content) {
              await expect(done).rejects.toThrow("different transaction");
              continue;
            }
            await done;
            if (known === undefined) items = items.slice(0, items.length - count).concat(texts);
            operations.set(one.id, content);
          }
        }
        expect(await historySession({ store: kept, threadId: "s" }).getItems()).toEqual(items);
      }),
    );
  });

  it("keeps what several handles add at once, and gives each item to one that takes it", async () => {
    const handles = Array.from({ length: 4 }, () => historySession({ store, threadId: "s" }));
    await Promise.all(
      handles.map((handle, at) => handle.applyHistoryTransaction(append(`o${at}`, said(`${at}`)))),
    );
    expect(await session.getItems()).toHaveLength(4);
    const popped = await Promise.all(
      handles.map((handle) => handle.popItem<{ content: string }>()),
    );
    expect(new Set(popped.map((item) => item?.content))).toEqual(new Set(["0", "1", "2", "3"]));
    expect(await session.getItems()).toEqual([]);
  });

  it("refuses what it cannot keep as it is, threads of something else, and to be made without a store", async () => {
    for (const item of [
      new Date(0),
      { role: "user", at: new Date(0) },
      { role: "user", n: Number.NaN },
      {},
      7,
    ]) {
      const items: readonly unknown[] = [item];
      await expect(session.addItems(items as readonly object[])).rejects.toMatchObject({
        code: "INVALID_OPTION",
      });
    }
    expect((await store.read("s")).version).toBe(0);
    expect(() => Reflect.apply(historySession, undefined, [{ store }])).toThrow("threadId");
    await store.append("other", [userMessage({ content: "Hello." })]);
    const other = historySession({ store, threadId: "other" });
    await expect(other.getItems()).rejects.toMatchObject({ code: "THREAD_CORRUPT" });
  });
});

/** A store of which some answers to writes get lost, before or after they were done; never more than three in a row. */
function unsure(kept: HistoryStore, fateOf: () => string): HistoryStore {
  let failures = 0;
  const write = async <Result>(done: () => Promise<Result>): Promise<Result> => {
    const fate = failures < 3 ? fateOf() : "well";
    failures = fate === "well" ? 0 : failures + 1;
    const lost = new HistoryError("lost", { code: "OUTCOME_UNKNOWN" });
    if (fate === "before") throw lost;
    const result = await done();
    if (fate === "after") throw lost;
    return result;
  };
  return {
    ...kept,
    append: (...call) => write(() => kept.append(...call)),
    replaceSuffix: (...call) => write(() => kept.replaceSuffix(...call)),
  };
}
