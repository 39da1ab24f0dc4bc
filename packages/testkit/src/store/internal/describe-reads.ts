import type { HistoryEntry, HistoryQuery, HistoryStore } from "@agent-history/core";
import {
  action,
  agentView,
  customEntry,
  ENTRY_TYPES,
  MAX_QUERY_IDS,
  observation,
} from "@agent-history/core";
import { describe, expect, it } from "vitest";

import { codeOf, compact, idsOf, manyMessages, messages, pagesOf } from "./ask-store.ts";
import type { UseStores } from "./use-stores.ts";

/** What a query asks for: by ids, by types, in pages. What it selects in general is the fuzz's. */
export function describeReads(stores: UseStores): void {
  describe("read", () => {
    it("shows nothing without a clause, and everything without a query", async () => {
      const { store } = await stores();
      await store.append("t", messages("a", "b"));
      expect(await idsOf(store, "t", { clauses: [] })).toBe("");
      expect(await idsOf(store, "t")).toBe("a b");
      const none = { query: { clauses: [{}], maxEntries: 0 } };
      expect(await store.read("t", none)).toMatchObject({ entries: [], version: 2 });
    });

    it("refuses limits that are no counts, bounds that are not there, and too many ids", async () => {
      const { store } = await stores();
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
        await refuse({ clauses: [{}], maxTokens: limit }, "INVALID_QUERY");
        await refuse({ clauses: [{}], maxBytes: limit }, "INVALID_QUERY");
        await refuse({ clauses: [{ lastTurns: { count: limit } }] }, "INVALID_QUERY");
      }
      await refuse({ clauses: [{}], after: "gone" }, "NOT_FOUND");
      await refuse({ clauses: [{}], before: "gone" }, "NOT_FOUND");
    });
  });
  describeNamed(stores);
  describeOwnTypes(stores);
  describePages(stores);
}

function describeNamed(stores: UseStores): void {
  describe("read by ids", () => {
    it("shows the entries named, in the order of the log, whatever batch they came in", async () => {
      const { store } = await stores();
      const log = manyMessages("m", 300);
      for (const [from, to] of [
        [0, 1],
        [1, 40],
        [40, 300],
      ])
        await store.append("t", log.slice(from, to));
      const ids = ["m299", "m0", "gone", "m40", "m1", "m39", "m57", "m128", "m1"];
      expect(await idsOf(store, "t", { clauses: [{ ids }] })).toBe("m0 m1 m39 m40 m57 m128 m299");
      expect(await idsOf(store, "t", { clauses: [{ ids: [] }] })).toBe("");
      expect(await idsOf(store, "missing", { clauses: [{ ids }] })).toBe("");
      const query = { clauses: [{ ids }], after: "m1", before: "m299", maxEntries: 2 };
      const { entries, next } = await store.read("t", { query });
      expect([entries.map(({ id }) => id), next]).toEqual([["m57", "m128"], "m57"]);
    });

    it("shows in a view what its summaries leave, and the summaries; with originals, what was written", async () => {
      const { store } = await stores();
      await store.append("t", messages("a", "b", "c", "d"));
      await compact(store, "t", "z", ["a", "b"], { viewRevision: 0 });
      const query = { clauses: [{ ids: ["a", "c", "z"] }], view: "thread" } as const;
      await store.fork("t", { at: "c", as: "fork" });
      for (const threadId of ["t", "t/fork"]) {
        expect(await idsOf(store, threadId, query)).toBe("z c");
        const { entries } = await store.read(threadId, { query, originals: true });
        expect(entries.map(({ id }) => id)).toEqual(["a", "c"]);
      }
    });

    it("shows a part of an exchange, but where exchanges are to be whole", async () => {
      const { store } = await stores();
      await store.append("t", [0, 1, 2, 3, 4].flatMap(exchange));
      const ids = ["call1", "result1", "call2", "result4"];
      expect(await idsOf(store, "t", { clauses: [{ ids }] })).toBe(ids.join(" "));
      const whole = { clauses: [{ ids }], wholeExchanges: true };
      expect(await idsOf(store, "t", whole)).toBe("call1 result1");
    });
  });
}

function exchange(nth: number): readonly HistoryEntry[] {
  const call = { id: `c${nth}`, name: "read", arguments: "{}" };
  const answer = { callId: call.id, toolName: "read", outcome: "success", content: "" } as const;
  return [
    action({ id: `call${nth}`, createdAtMs: 0, toolCalls: [call] }),
    observation({ id: `result${nth}`, createdAtMs: 0, ...answer }),
  ];
}

function describeOwnTypes(stores: UseStores): void {
  describe("a query, with entries of types of the user's own", () => {
    it("shows them by clauses that ask for no types, or name theirs", async () => {
      const { store } = await stores();
      const agent = { id: "w1", role: "worker" } as const;
      await store.append("t", [
        ...messages("u1"),
        customEntry({ type: "note", id: "n1", createdAtMs: 2 }),
        customEntry({ type: "note", id: "n2", createdAtMs: 3, agent }),
        customEntry({ type: "event", id: "e1", createdAtMs: 4 }),
      ]);
      const shows = async (clause: HistoryQuery["clauses"][number], ids: string): Promise<void> =>
        expect(await idsOf(store, "t", { clauses: [clause] })).toBe(ids);
      await shows({}, "u1 n1 n2 e1");
      await shows({ agent: "w1" }, "n2");
      await shows({ types: ["note"] }, "n1 n2");
      await shows({ types: ["event"], unowned: true }, "e1");
      await shows({ types: ["own", "custom"] }, "");
      await shows({ types: ENTRY_TYPES, turn: { newest: true } }, "u1");
      await shows({ turn: { newest: true }, agent: "w1" }, "n2");
      const view = agentView("w1");
      await compact(store, "t", "z", ["n2", "n2"], { view, viewRevision: 0 });
      expect(await idsOf(store, "t", { clauses: [{}], view })).toBe("u1 n1 z e1");
    });
  });
}

function describePages(stores: UseStores): void {
  describe("next", () => {
    it("leads back to the beginning, page by page, past an exchange that a limit cuts if exchanges are to be whole", async () => {
      const { store } = await stores();
      await store.append("t", manyMessages("m", 10));
      const query = { clauses: [{}], maxEntries: 4 };
      expect(await pagesBack(store, "t", query)).toEqual([
        ["m6", "m7", "m8", "m9"],
        ["m2", "m3", "m4", "m5"],
        ["m0", "m1"],
      ]);
      expect(await pagesBack(store, "t", { clauses: [{}], maxEntries: 5 })).toHaveLength(2);
      await store.append("u", [...messages("a", "b"), ...exchange(0), ...messages("c", "d")]);
      expect(await pagesBack(store, "u", { clauses: [{}], maxEntries: 3 })).toEqual([
        ["result0", "c", "d"],
        ["a", "b", "call0"],
      ]);
      const whole = { clauses: [{}], maxEntries: 3, wholeExchanges: true };
      expect(await pagesBack(store, "u", whole)).toEqual([
        ["c", "d"],
        ["a", "b"],
      ]);
    });

    it("is missing where nothing was cut, and where nothing is shown", async () => {
      const { store } = await stores();
      await store.append("t", messages("a", "b"));
      for (const limit of [
        {},
        { maxEntries: 2 },
        { maxEntries: 0 },
        { maxTokens: 1 },
        { before: "a" },
        { after: "a", maxEntries: 1 },
      ]) {
        const { next } = await store.read("t", { query: { clauses: [{}], ...limit } });
        expect(next).toBeUndefined();
      }
    });

    it("counts the tokens that are stored beside an entry, the highest of several counters", async () => {
      const { store } = await stores();
      const tokens = new Map([
        ["one", [5, 5, 5]],
        ["two", [1, 9, 1]],
      ]);
      await store.append("t", messages("a", "b", "c"), { tokens });
      for (const [maxTokens, shown] of [
        [4, ""],
        [5, "c"],
        [13, "c"],
        [14, "b c"],
        [19, "a b c"],
      ] as const)
        expect(await idsOf(store, "t", { clauses: [{}], maxTokens })).toBe(shown);
    });

    it("counts the bytes of an entry's JSON for maxBytes, and for maxTokens where nobody counted", async () => {
      const { store } = await stores();
      const log = messages("a", "é", "👍");
      await store.append("t", log);
      const bytes = log.map((entry) => new TextEncoder().encode(JSON.stringify(entry)).length);
      const lastTwo = (bytes[1] ?? 0) + (bytes[2] ?? 0);
      for (const limit of ["maxBytes", "maxTokens"]) {
        const shown = async (most: number): Promise<string> =>
          idsOf(store, "t", { clauses: [{}], [limit]: most });
        expect(await shown(lastTwo)).toBe("é 👍");
        expect(await shown(lastTwo - 1)).toBe("👍");
        expect(await shown(lastTwo + (bytes[0] ?? 0))).toBe("a é 👍");
      }
    });
  });
}

function pagesBack(
  store: HistoryStore,
  threadId: string,
  query: HistoryQuery,
): Promise<readonly (readonly string[])[]> {
  return pagesOf(async ({ cursor }) => {
    const page = cursor === undefined ? query : { ...query, before: cursor };
    const { entries, next } = await store.read(threadId, { query: page });
    return [entries.map(({ id }) => id), next];
  });
}
