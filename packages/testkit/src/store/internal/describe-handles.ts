import type { HistoryStore } from "@agent-history/core";
import { describe, expect, it } from "vitest";

import { allOf, codeOf, compact, idsOf, listed, messages } from "./ask-store.ts";
import type { UseStores } from "./use-stores.ts";

/** Opening, closing, describing, verifying, and callers that have gone. */
export function describeHandles(stores: UseStores): void {
  describe("a handle", () => {
    it("finds what another has written, while that is open and after it closed", async () => {
      const { store, another } = await stores();
      const second = await another();
      await store.append("t", messages("a", "b"), { tokens: new Map([["n", [1, 2]]]) });
      await compact(store, "t", "z", ["a", "a"], { viewRevision: 0 });
      await store.setState("t", "key", 1, { expectedRevision: 0 });
      const expectAll = async (handle: HistoryStore): Promise<void> => {
        expect(await idsOf(handle, "t")).toBe("a b");
        expect(await idsOf(handle, "t", allOf("thread"))).toBe("z b");
        expect((await handle.read("t")).tokens).toEqual(new Map([["n", [1, 2]]]));
        expect(await handle.getState("t", "key")).toEqual({ value: 1, revision: 1 });
      };
      await expectAll(second);
      await store.close();
      await expectAll(second);
      const third = await another();
      await second.close();
      await expectAll(third);
      await third.expand("t", "z");
      expect(await idsOf(third, "t", allOf("thread"))).toBe("a b");
    });

    it("refuses every verb once it is closed, and is closed twice without harm", async () => {
      const { store } = await stores();
      await store.append("t", messages("a"));
      await store.close();
      await store.close();
      for (const verb of verbsOf(store)) expect(await codeOf(verb())).toBe("STORE_UNAVAILABLE");
      expect(await codeOf(store.describe())).toBe("STORE_UNAVAILABLE");
    });
  });
  describeCallers(stores);
}

function describeCallers(stores: UseStores): void {
  describe("a caller", () => {
    it("changes nothing for a caller that has gone", async () => {
      const { store } = await stores();
      await store.append("t", messages("a"));
      const signal = AbortSignal.abort();
      for (const verb of verbsOf(store, signal)) expect(await codeOf(verb())).toBe("ABORTED");
      expect(await idsOf(store, "t", allOf("thread"))).toBe("a");
      expect(await listed(store)).toEqual(["t"]);
      expect(await store.getState("t", "key")).toBeUndefined();
    });

    it("works as before with a signal that does not fire", async () => {
      const { store } = await stores();
      await store.append("t", messages("a"));
      const { signal } = new AbortController();
      for (const verb of verbsOf(store, signal)) expect(await codeOf(verb())).toBeUndefined();
    });
  });
  describeSelf(stores);
}

function describeSelf(stores: UseStores): void {
  describe("a store", () => {
    it("refuses a thread without a name", async () => {
      const { store } = await stores();
      expect(await codeOf(store.append("", messages("a")))).toBe("INVALID_OPTION");
      expect(await codeOf(store.read(""))).toBe("INVALID_OPTION");
      expect(await codeOf(store.delete(""))).toBe("INVALID_OPTION");
    });

    it("answers a ping, and begins nothing by it", async () => {
      const { store } = await stores();
      expect(await store.ping()).toBeUndefined();
      await store.append("t", messages("a"));
      expect(await store.ping()).toBeUndefined();
      expect(await listed(store)).toEqual(["t"]);
    });

    it("says what it is, and what a crash may cost", async () => {
      const { store } = await stores();
      const { kind, durability, details } = await store.describe();
      expect([kind, durability].map((text) => text.length > 0)).toEqual([true, true]);
      expect(JSON.parse(JSON.stringify(details))).toEqual(details);
    });

    it("finds nothing wrong with a sound thread, nor with a missing one", async () => {
      const { store } = await stores();
      await store.append("t", messages("a", "b", "c"));
      await compact(store, "t", "z", ["a", "b"], { viewRevision: 0 });
      expect(await store.verify("t")).toEqual([]);
      expect(await store.verify("missing")).toEqual([]);
    });
  });
}

/** Every verb that takes a signal; each works on a thread `t` that has an entry `a`, in this order. */
function verbsOf(store: HistoryStore, signal?: AbortSignal): readonly (() => Promise<unknown>)[] {
  const options = signal === undefined ? {} : { signal };
  const summary = {
    id: "z",
    type: "summary",
    createdAtMs: 0,
    content: "",
    strategy: "s",
    trust: "user",
  } as const;
  const replacement = {
    from: "b",
    expectedVersion: "any",
    replacement: [],
    operationId: "o",
  } as const;
  const covers = [{ from: "a", to: "a" }];
  const commit = { view: "thread", summary, covers, expectedViewRevision: 1, ...options } as const;
  return [
    () => store.append("t", messages("b"), options),
    () => store.replaceSuffix("t", { ...replacement, ...options }),
    () => store.read("t", options),
    () => store.commitCompaction("t", commit),
    () => store.expand("t", "z", options),
    () => store.getState("t", "key", options),
    () => store.setState("t", "key", 1, { expectedRevision: 0, ...options }),
    () => store.fork("t", { at: "a", as: "x", ...options }),
    () => store.getMetadata("t", options),
    () => store.setMetadata("t", { title: "x" }, options),
    () => store.list(options),
    () => store.list({ user: "ada", ...options }),
    () => store.listSummaries("t", options),
    () => store.verify("t", options),
    () => store.ping(options),
    () => store.delete("t", options),
  ];
}
