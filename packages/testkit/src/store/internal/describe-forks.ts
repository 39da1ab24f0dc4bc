import { describe, expect, it } from "vitest";

import { allOf, codeOf, compact, idsOf, messages } from "./ask-store.ts";
import type { UseStores } from "./use-stores.ts";

/** Threads that share a beginning. */
export function describeForks(stores: UseStores): void {
  describe("fork", () => {
    it("shares the entries up to one, and goes its own way from there", async () => {
      const { store } = await stores();
      await store.append("t", messages("a", "b", "c"), { tokens: new Map([["n", [1, 2, 3]]]) });
      expect(await store.fork("t", { at: "b", as: "try" })).toEqual({ threadId: "t/try" });
      const fork = await store.read("t/try");
      expect(fork.entries).toEqual(messages("a", "b"));
      expect(fork.tokens).toEqual(new Map([["n", [1, 2]]]));
      expect([fork.version, fork.viewRevision]).toEqual([2, 0]);
      expect(await store.append("t/try", messages("c2"), { expectedVersion: 2 })).toEqual({
        version: 3,
        duplicate: false,
      });
      await store.append("t", messages("d"));
      expect(await idsOf(store, "t/try")).toBe("a b c2");
      expect(await idsOf(store, "t")).toBe("a b c d");
    });

    it("knows the entries that it shares, and is free for those it does not", async () => {
      const { store } = await stores();
      await store.append("t", messages("a", "b"));
      await store.fork("t", { at: "a", as: "x" });
      expect((await store.append("t/x", messages("a"))).duplicate).toBe(true);
      expect((await store.append("t/x", messages("b"))).duplicate).toBe(false);
      expect(await idsOf(store, "t/x")).toBe("a b");
    });

    it("can be forked again, at shared entries and at its own", async () => {
      const { store } = await stores();
      await store.append("t", messages("a", "b"));
      await store.fork("t", { at: "b", as: "x" });
      await store.append("t/x", messages("c"));
      await store.fork("t/x", { at: "a", as: "y" });
      await store.fork("t/x", { at: "c", as: "z" });
      await store.append("t/x/z", messages("d"));
      expect(await idsOf(store, "t/x/y")).toBe("a");
      expect(await idsOf(store, "t/x/z")).toBe("a b c d");
      expect(await idsOf(store, "t/x")).toBe("a b c");
      expect(await store.append("t/x/y", messages("b"))).toEqual({ version: 2, duplicate: false });
      expect(await idsOf(store, "t/x/y")).toBe("a b");
      await store.delete("t/x");
      expect(await idsOf(store, "t/x/z")).toBe("a b c d");
    });
  });
  describeRefusedForks(stores);
  describeForkedViews(stores);
}

function describeRefusedForks(stores: UseStores): void {
  describe("fork of a name that is there", () => {
    it("is made once for an operation id, however often it is sent", async () => {
      const { store } = await stores();
      await store.append("t", messages("a", "b"));
      const fork = { at: "a", as: "x", operationId: "o1" };
      expect(await store.fork("t", fork)).toEqual({ threadId: "t/x" });
      await store.append("t/x", messages("c"));
      expect(await store.fork("t", fork)).toEqual({ threadId: "t/x" });
      expect(await idsOf(store, "t/x")).toBe("a c");
      for (const other of [{ operationId: "o2" }, { at: "b" }])
        expect(await codeOf(store.fork("t", { ...fork, ...other }))).toBe("VERSION_CONFLICT");
      const invalid: readonly object[] = ["", 5, null].map((operationId) => ({ operationId }));
      for (const one of invalid)
        expect(await codeOf(store.fork("t", { ...fork, ...one }))).toBe("INVALID_OPTION");
    });

    it("refuses a name that is no name, a place that is none, and a fork that is there", async () => {
      const { store } = await stores();
      await store.append("t", messages("a"));
      const invalid: readonly object[] = [
        ...["", "/", "a/b", "/a", 5, undefined, null].map((as) => ({ at: "a", as })),
        ...[5, undefined, null].map((at) => ({ at, as: "x" })),
      ];
      for (const options of invalid) {
        expect(await codeOf(store.fork("t", { at: "a", as: "x", ...options }))).toBe(
          "INVALID_OPTION",
        );
      }
      expect(await codeOf(store.fork("t", { at: "gone", as: "x" }))).toBe("NOT_FOUND");
      expect(await codeOf(store.fork("missing", { at: "a", as: "x" }))).toBe("NOT_FOUND");
      await store.fork("t", { at: "a", as: "x" });
      expect(await codeOf(store.fork("t", { at: "a", as: "x" }))).toBe("VERSION_CONFLICT");
      await store.append("t/y", messages("own"));
      expect(await codeOf(store.fork("t", { at: "a", as: "y" }))).toBe("VERSION_CONFLICT");
      expect(await idsOf(store, "t/y")).toBe("own");
    });
  });
}

function describeForkedViews(stores: UseStores): void {
  describe("fork of a view", () => {
    it("takes the summaries that cover nothing later, and the view's revision begins at 0", async () => {
      const { store } = await stores();
      await store.append("t", messages("a", "b", "c", "d"));
      await compact(store, "t", "z1", ["a", "b"], { viewRevision: 0 });
      await compact(store, "t", "z2", ["c", "d"], { viewRevision: 1 });
      await store.fork("t", { at: "c", as: "x" });
      expect(await idsOf(store, "t/x", allOf("thread"))).toBe("z1 c");
      expect((await store.read("t/x", { query: allOf("thread") })).viewRevision).toBe(0);
      expect(await idsOf(store, "t", allOf("thread"))).toBe("z1 z2");
    });

    it("expands and compacts apart from where it came from", async () => {
      const { store } = await stores();
      await store.append("t", messages("a", "b", "c"));
      await compact(store, "t", "z1", ["a", "b"], { viewRevision: 0 });
      await store.fork("t", { at: "c", as: "x" });
      expect(await store.expand("t/x", "z1")).toEqual({ viewRevision: 1 });
      expect(await idsOf(store, "t/x", allOf("thread"))).toBe("a b c");
      expect(await idsOf(store, "t", allOf("thread"))).toBe("z1 c");
      await compact(store, "t/x", "z2", ["b", "c"], { viewRevision: 1 });
      await store.expand("t", "z1");
      expect(await idsOf(store, "t/x", allOf("thread"))).toBe("a z2");
      expect(await idsOf(store, "t", allOf("thread"))).toBe("a b c");
    });

    it("takes layers whole or not at all", async () => {
      const { store } = await stores();
      await store.append("t", messages("a", "b", "c", "d"));
      await compact(store, "t", "z1", ["b", "c"], { viewRevision: 0 });
      await compact(store, "t", "z2", ["a", "z1"], { viewRevision: 1 });
      await store.fork("t", { at: "c", as: "x" });
      await store.fork("t", { at: "b", as: "y" });
      expect(await idsOf(store, "t/x", allOf("thread"))).toBe("z2");
      expect(await idsOf(store, "t/y", allOf("thread"))).toBe("a b");
      await store.expand("t/x", "z2");
      expect(await idsOf(store, "t/x", allOf("thread"))).toBe("a z1");
    });
  });
  describeLargeForks(stores);
}

function describeLargeForks(stores: UseStores): void {
  describe("fork, besides", () => {
    it("leaves state behind", async () => {
      const { store } = await stores();
      await store.append("t", messages("a"));
      await store.setState("t", "key", 1, { expectedRevision: 0 });
      await store.fork("t", { at: "a", as: "x" });
      expect(await store.getState("t/x", "key")).toBeUndefined();
      await store.setState("t/x", "key", 2, { expectedRevision: 0 });
      expect((await store.getState("t", "key"))?.value).toBe(1);
    });

    it("shares a thousand entries, and both sides go on", async () => {
      const { store } = await stores();
      const ids = Array.from({ length: 1000 }, (_, index) => `m${index}`);
      for (let start = 0; start < 1000; start += 250) {
        await store.append("t", messages(...ids.slice(start, start + 250)));
      }
      await store.fork("t", { at: "m899", as: "x" });
      await store.append("t/x", messages("own"));
      expect(await idsOf(store, "t/x")).toBe([...ids.slice(0, 900), "own"].join(" "));
      expect(await store.verify("t/x")).toEqual([]);
    });
  });
}
