import type { HistoryQuery } from "@agent-history/core";
import { MAX_QUERY_IDS } from "@agent-history/core";
import { describe, expect } from "vitest";

import { codeOf, idsOf, messages } from "./ask-store.ts";
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
