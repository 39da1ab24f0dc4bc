import { userMessage } from "@agent-history/core";
import { describe, expect, it } from "vitest";

import { codeOf, idsOf, listed, manyMessages, messages } from "./ask-store.ts";
import type { UseStores } from "./use-stores.ts";

/** What append does with one batch after another. */
export function describeAppends(stores: UseStores): void {
  describe("append", () => {
    it("keeps what is appended, in order, and says the version", async () => {
      const { store } = await stores();
      expect(await store.append("t", messages("a", "b"))).toEqual({ version: 2, duplicate: false });
      expect(await store.append("t", messages("c"))).toEqual({ version: 3, duplicate: false });
      const { entries, version, problems, viewRevision } = await store.read("t");
      expect(entries).toEqual(messages("a", "b", "c"));
      expect({ version, problems, viewRevision }).toEqual({
        version: 3,
        problems: [],
        viewRevision: 0,
      });
    });

    it("keeps threads apart", async () => {
      const { store } = await stores();
      await store.append("t", messages("a"));
      await store.append("other", messages("a", "b"));
      expect(await idsOf(store, "t")).toBe("a");
      expect(await idsOf(store, "other")).toBe("a b");
    });

    it("shows an empty thread where there is none", async () => {
      const { store } = await stores();
      const { entries, tokens, problems, version, viewRevision, next } =
        await store.read("missing");
      expect([entries, tokens, problems, version, viewRevision, next]).toEqual([
        [],
        new Map(),
        [],
        0,
        0,
        undefined,
      ]);
    });

    it("writes nothing for an empty batch, and creates no thread", async () => {
      const { store } = await stores();
      expect(await store.append("t", [])).toEqual({ version: 0, duplicate: false });
      expect(await listed(store)).toEqual([]);
      await store.append("t", messages("a"), { expectedVersion: "none" });
      expect(await store.append("t", [])).toEqual({ version: 1, duplicate: false });
    });

    it("orders by arrival, also where clocks step backwards", async () => {
      const { store } = await stores();
      const at = (id: string, createdAtMs: number) => userMessage({ id, content: "", createdAtMs });
      await store.append("t", [at("a", 3000), at("b", 1000)]);
      await store.append("t", [at("c", 0), at("d", 3000), at("e", 2000)]);
      expect(await idsOf(store, "t")).toBe("a b c d e");
    });
  });
  describeCopies(stores);
  describeCounts(stores);
}

function describeCopies(stores: UseStores): void {
  describe("append and read", () => {
    it("copy what goes in and comes out (L8)", async () => {
      const { store } = await stores();
      const metadata = { key: "before" };
      await store.append("t", [userMessage({ id: "a", content: "", createdAtMs: 0, metadata })]);
      metadata.key = "after";
      const first = await store.read("t");
      const second = await store.read("t");
      expect(first.entries[0]?.metadata).toEqual({ key: "before" });
      expect(second.entries[0]).not.toBe(first.entries[0]);
    });

    it("give 0 for the -0 that JSON cannot write", async () => {
      const { store } = await stores();
      const metadata = { zero: -0 };
      await store.append("t", [userMessage({ id: "a", content: "", createdAtMs: 0, metadata })]);
      await store.setState("t", "key", [-0], { expectedRevision: 0 });
      expect((await store.read("t")).entries[0]?.metadata).toEqual({ zero: 0 });
      expect((await store.getState("t", "key"))?.value).toEqual([0]);
    });

    it("go on after a hundred batches", async () => {
      const { store } = await stores();
      const all = manyMessages("m", 100);
      for (const entry of all) await store.append("t", [entry]);
      const { entries, version } = await store.read("t");
      expect(entries).toEqual(all);
      expect(version).toBe(100);
    });
  });
}

function describeCounts(stores: UseStores): void {
  describe("token counts", () => {
    it("come back beside the entries, by counter", async () => {
      const { store } = await stores();
      const first = new Map([
        ["o200k", [7, 0]],
        ["__proto__", [1, 2]],
      ]);
      await store.append("t", messages("a", "b"), { tokens: first });
      await store.append("t", messages("c"));
      await store.append("t", messages("d"), { tokens: new Map([["o200k", [9]]]) });
      const { tokens } = await store.read("t");
      expect(tokens).toEqual(
        new Map([
          ["o200k", [7, 0, undefined, 9]],
          ["__proto__", [1, 2, undefined, undefined]],
        ]),
      );
    });

    it("name only counters that counted something of what is shown", async () => {
      const { store } = await stores();
      await store.append("t", messages("a"), { tokens: new Map([["old", [7]]]) });
      await store.append("t", messages("b"), { tokens: new Map([["new", [8]]]) });
      const { tokens } = await store.read("t", { query: { clauses: [{}], maxEntries: 1 } });
      expect(tokens).toEqual(new Map([["new", [8]]]));
    });

    it("are refused where they are not one for each entry", async () => {
      const { store } = await stores();
      for (const counts of [[1], [1, 2, 3], [1, -1], [1, Number.NaN], [1, Infinity]]) {
        const tokens = new Map([["o200k", counts]]);
        const work = store.append("t", messages("a", "b"), { tokens });
        expect(await codeOf(work)).toBe("INVALID_OPTION");
      }
      expect(await idsOf(store, "t")).toBe("");
    });
  });
}
