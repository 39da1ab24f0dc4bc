import type { HistoryEntry } from "@agent-history/core";
import { MAX_QUERY_IDS, action, observation } from "@agent-history/core";
import { describe, expect, it } from "vitest";

import { codeOf, compact, idsOf, manyMessages, messages } from "./ask-store.ts";
import type { UseStores } from "./use-stores.ts";

/** Entries by their ids: as they were written, from views, forks and pages. */
export function describeNamedEntries(stores: UseStores): void {
  describe("read by ids", () => {
    it("shows the entries named, in the order of the log, and nothing for what is not there", async () => {
      const { store } = await stores();
      const log = messages("a", "b", "__proto__", "*", "é");
      await store.append("t", log);
      const query = { clauses: [{ ids: ["é", "*", "gone", "b", "__proto__", "b"] }] };
      const { entries, version } = await store.read("t", { query });
      expect(entries).toEqual([log[1], log[2], log[3], log[4]]);
      expect(version).toBe(5);
      expect(await idsOf(store, "t", { clauses: [{ ids: [] }] })).toBe("");
      expect(await idsOf(store, "missing", { clauses: [{ ids: ["a"] }] })).toBe("");
    });

    it("shows each entry of a long thread, whatever batch it came in", async () => {
      const { store } = await stores();
      const log = manyMessages("m", 300);
      for (const [from, to] of [
        [0, 1],
        [1, 40],
        [40, 300],
      ]) {
        await store.append("t", log.slice(from, to));
      }
      const ids = ["m0", "m1", "m39", "m40", "m57", "m128", "m299"];
      expect(await idsOf(store, "t", { clauses: [{ ids }] })).toBe(ids.join(" "));
      const page = { clauses: [{ ids }], after: "m1", before: "m299", maxEntries: 2 };
      const { entries, next } = await store.read("t", { query: page });
      expect(entries.map(({ id }) => id)).toEqual(["m57", "m128"]);
      expect(next).toBe("m57");
    });
  });
  describeNamedInViews(stores);
}

function describeNamedInViews(stores: UseStores): void {
  describe("read by ids besides", () => {
    it("shows in a view what its summaries leave, and the summaries; with originals, what was written", async () => {
      const { store } = await stores();
      await store.append("t", messages("a", "b", "c", "d"));
      await compact(store, "t", "z", ["a", "b"], { viewRevision: 0 });
      const query = { clauses: [{ ids: ["a", "c", "z"] }], view: "thread" } as const;
      expect(await idsOf(store, "t", query)).toBe("z c");
      const { entries } = await store.read("t", { query, originals: true });
      expect(entries.map(({ id }) => id)).toEqual(["a", "c"]);
      const fork = await store.fork("t", { at: "c", as: "fork" });
      expect(await idsOf(store, fork.threadId, query)).toBe("z c");
    });

    it("shows a part of an exchange, but where exchanges are to be whole", async () => {
      const { store } = await stores();
      await store.append("t", exchanges(30));
      const ids = ["call3", "result3", "call4", "result20"];
      const query = { clauses: [{ ids }] };
      expect(await idsOf(store, "t", { ...query, wholeExchanges: true })).toBe("call3 result3");
      expect(await idsOf(store, "t", query)).toBe(ids.join(" "));
    });

    it(`refuses more than ${MAX_QUERY_IDS} ids`, async () => {
      const { store } = await stores();
      await store.append("t", messages("a"));
      const ids = Array.from({ length: MAX_QUERY_IDS }, (_, nth) => (nth === 0 ? "a" : `${nth}`));
      expect(await idsOf(store, "t", { clauses: [{ ids }] })).toBe("a");
      for (const threadId of ["t", "missing"]) {
        const query = { clauses: [{ ids }, { ids: ["one more"] }] };
        expect(await codeOf(store.read(threadId, { query }))).toBe("INVALID_QUERY");
      }
    });
  });
}

function exchanges(count: number): readonly HistoryEntry[] {
  return Array.from({ length: count }, (_, nth) => {
    const call = { id: `c${nth}`, name: "read", arguments: "{}" };
    const answer = { callId: call.id, toolName: "read", outcome: "success", content: "" } as const;
    return [
      action({ id: `call${nth}`, createdAtMs: 0, toolCalls: [call] }),
      observation({ id: `result${nth}`, createdAtMs: 0, ...answer }),
    ];
  }).flat();
}
