import { describe, expect } from "vitest";

import { codeOf, idsOf, manyMessages, messages, namesIn, replace } from "./ask-store.ts";
import type { StoreTest } from "./store-test.ts";

/** Threads that begin with what another has. */
export function describeForks(it: StoreTest): void {
  describe("fork", () => {
    it("begins with the entries up to one, and goes its own way from there", async ({ store }) => {
      await store.append("t", messages("a", "b", "c"), { tokens: new Map([["n", [1, 2, 3]]]) });
      await store.setState("t", "key", 1, { expectedRevision: 0 });
      expect(await store.fork("t", { at: "b", as: "try" })).toEqual({ threadId: "t/try" });
      expect(await store.read("t/try")).toMatchObject({
        entries: messages("a", "b"),
        tokens: new Map([["n", [1, 2]]]),
        version: 2,
        viewRevision: 0,
      });
      expect(await store.getState("t/try", "key")).toBeUndefined();
      // It knows what it shares, and is free for what it does not.
      expect((await store.append("t/try", messages("a"))).duplicate).toBe(true);
      const own = await store.append("t/try", messages("c"), { expectedVersion: 2 });
      expect(own).toEqual({ version: 3, duplicate: false });
      await store.append("t", messages("d"));
      expect(await idsOf(store, "t/try")).toBe("a b c");
      expect(await idsOf(store, "t")).toBe("a b c d");
    });

    it("can be forked again, and outlives what it came from", async ({ store }) => {
      await store.append("t", messages("a", "b"));
      await store.fork("t", { at: "b", as: "x" });
      await store.append("t/x", messages("c"));
      await store.fork("t/x", { at: "a", as: "y" });
      await store.fork("t/x", { at: "c", as: "z" });
      await replace(store, "b", ["n"], "t/x");
      await store.delete("t/x");
      await store.delete("t");
      await store.append("t/x/z", messages("d"));
      expect(await idsOf(store, "t/x/z")).toBe("a b c d");
      expect(await store.append("t/x/y", messages("b"))).toEqual({ version: 2, duplicate: false });
      expect(await idsOf(store, "t/x/y")).toBe("a b");
      expect(await namesIn(store)).toEqual(["t/x/y", "t/x/z"]);
      for (const threadId of ["t/x/y", "t/x/z"]) expect(await store.verify(threadId)).toEqual([]);
    });

    it("is made once for an operation id, however often it is sent", async ({ store }) => {
      await store.append("t", messages("a", "b"));
      const fork = { at: "a", as: "x", operationId: "o1" };
      await store.fork("t", fork);
      await store.append("t/x", messages("c"));
      expect(await store.fork("t", fork)).toEqual({ threadId: "t/x" });
      expect(await idsOf(store, "t/x")).toBe("a c");
      for (const other of [{ operationId: "o2" }, { at: "b" }])
        expect(await codeOf(store.fork("t", { ...fork, ...other }))).toBe("VERSION_CONFLICT");
    });

    it("stands under the thread it came from, or under one that has that below it", async ({
      store,
    }) => {
      await store.append("t", messages("a", "b"));
      await store.fork("t", { at: "a", as: "x" });
      const flat = { at: "a", as: "y", under: "t" };
      expect(await store.fork("t/x", flat)).toEqual({ threadId: "t/y" });
      expect(await idsOf(store, "t/y")).toBe("a");
      for (const under of ["u", "t/x/z", "", "t/"])
        expect(await codeOf(store.fork("t/x", { ...flat, under }))).toBe("INVALID_OPTION");
      expect(await namesIn(store)).toEqual(["t", "t/x", "t/y"]);
      expect(await namesIn(store, { withoutForks: true })).toEqual(["t"]);
    });

    it("refuses a name that is no name, a place that is none, and a fork that is there", async ({
      store,
    }) => {
      await store.append("t", messages("a"));
      const invalid: readonly object[] = [
        ...["", "/", "a/b", "/a", 5, undefined, null].map((as) => ({ as })),
        ...[5, undefined, null].map((at) => ({ at })),
        ...["", 5, null].map((operationId) => ({ operationId })),
      ];
      for (const change of invalid) {
        const refused = store.fork("t", { at: "a", as: "x", ...change });
        expect(await codeOf(refused)).toBe("INVALID_OPTION");
      }
      expect(await codeOf(store.fork("t", { at: "gone", as: "x" }))).toBe("NOT_FOUND");
      expect(await codeOf(store.fork("missing", { at: "a", as: "x" }))).toBe("NOT_FOUND");
      await store.fork("t", { at: "a", as: "x" });
      await store.append("t/y", messages("own"));
      for (const as of ["x", "y"])
        expect(await codeOf(store.fork("t", { at: "a", as }))).toBe("VERSION_CONFLICT");
      expect(await idsOf(store, "t/y")).toBe("own");
      await store.delete("t/x");
      expect(await codeOf(store.fork("t", { at: "a", as: "x" }))).toBe("THREAD_DELETED");
    });

    it("has a thousand entries, and both sides go on", async ({ store }) => {
      const log = manyMessages("m", 1000);
      for (let start = 0; start < 1000; start += 250)
        await store.append("t", log.slice(start, start + 250));
      await store.fork("t", { at: "m899", as: "x" });
      await store.append("t/x", messages("own"));
      const { entries } = await store.read("t/x");
      expect(entries).toEqual([...log.slice(0, 900), ...messages("own")]);
      expect(await store.verify("t/x")).toEqual([]);
    });
  });
}
