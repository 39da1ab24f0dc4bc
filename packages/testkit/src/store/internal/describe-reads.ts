import type { HistoryQuery } from "@agent-history/core";
import { MAX_QUERY_IDS } from "@agent-history/core";
import { describe, expect } from "vitest";

import { allOf, codeOf, compact, idsOf, linesOf, messages, namesIn } from "./ask-store.ts";
import type { StoreTest } from "./store-test.ts";

/** What a query asks for: by ids, by types, in pages. What it selects in general is the fuzz's. */
export function describeReads(it: StoreTest): void {
  describe("read", () => {
    it("shows nothing without a clause, and everything without a query", async ({ store }) => {
      await store.append("t", messages("a", "b"));
      expect(await idsOf(store, "t", { clauses: [] })).toBe("");
      expect(await idsOf(store, "t")).toBe("a b");
      const none = { query: { clauses: [{}], maxEntries: 0 } };
      expect(await store.read("t", none)).toMatchObject({ entries: [], version: 2 });
    });

    it("finds nothing where no thread is, and begins none", async ({ store }) => {
      const edit = {
        from: "a",
        replacement: [],
        expectedVersion: "any",
        operationId: "o",
      } as const;
      for (const call of [
        () => compact(store, "t", "z", ["a", "a"], { viewRevision: 0 }),
        () => store.expand("t", "z"),
        () => store.replaceSuffix("t", edit),
        () => store.fork("t", { at: "a", as: "x" }),
        () => linesOf(store, "t"),
      ])
        expect(await codeOf(call())).toBe("NOT_FOUND");
      const none = { entries: [], version: 0, entryCount: 0, viewRevision: 0 };
      expect(await store.read("t", { query: allOf("thread") })).toMatchObject(none);
      expect(await store.append("t", [])).toEqual({ version: 0, duplicate: false });
      const unset = await store.setState("t", "key", undefined, { expectedRevision: 0 });
      expect(unset).toEqual({ revision: 0 });
      expect(await store.listState("t")).toEqual({ items: [] });
      expect(await store.getMetadata("t")).toBeUndefined();
      expect(await store.verify("t")).toEqual([]);
      expect(await namesIn(store)).toEqual([]);
    });

    it("refuses limits that are no counts, bounds that are not there, and too many ids", async ({
      store,
    }) => {
      await store.append("t", messages("a"));
      const ids = Array.from({ length: MAX_QUERY_IDS }, (_, nth) => (nth === 0 ? "a" : `${nth}`));
      expect(await idsOf(store, "t", { clauses: [{ ids }] })).toBe("a");
      const refuse = async (query: HistoryQuery, code: string): Promise<void> => {
        for (const threadId of ["t", "missing"])
          expect(await codeOf(store.read(threadId, { query }))).toBe(code);
      };
      await refuse({ clauses: [{ ids }, { ids: ["one more"] }] }, "INVALID_QUERY");
      for (const limit of [-1, 0.5, Number.NaN]) {
        await refuse({ clauses: [{}], maxEntries: limit }, "INVALID_QUERY");
        await refuse({ clauses: [{}], maxBytes: limit }, "INVALID_QUERY");
        await refuse({ clauses: [{ lastTurns: { count: limit } }] }, "INVALID_QUERY");
      }
      await refuse({ clauses: [{}], after: "gone" }, "NOT_FOUND");
      await refuse({ clauses: [{}], before: "gone" }, "NOT_FOUND");
    });
  });
}
