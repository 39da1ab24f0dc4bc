import type { HistoryEntry, HistoryQuery, HistoryStore } from "@agent-history/core";
import { action, observation } from "@agent-history/core";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { arbitraryQuery } from "../../arbitrary-query.ts";
import { arbitraryQueryOf } from "./arbitrary-query.ts";
import { arbitraryThread } from "./arbitrary-thread.ts";
import { manyMessages, messages } from "./ask-store.ts";
import type { UseStores } from "./use-stores.ts";

/** Limits from the newest backward, and where to read on. */
export function describePages(stores: UseStores, runs: number): void {
  describe("next", () => {
    it("leads back to the beginning, page by page", async () => {
      const { store } = await stores();
      await store.append("t", manyMessages("m", 10));
      expect(await pagesOf(store, "t", { clauses: [{}], maxEntries: 4 })).toEqual([
        ["m6", "m7", "m8", "m9"],
        ["m2", "m3", "m4", "m5"],
        ["m0", "m1"],
      ]);
      const even = { clauses: [{}], maxEntries: 5 };
      expect((await pagesOf(store, "t", even)).map(({ length }) => length)).toEqual([5, 5]);
    });

    it("is missing where nothing was cut, and where nothing is shown", async () => {
      const { store } = await stores();
      await store.append("t", messages("a", "b"));
      const limits = [{}, { maxEntries: 2 }, { maxEntries: 0 }, { maxTokens: 1 }, { before: "a" }];
      for (const limit of limits) {
        expect(
          (await store.read("t", { query: { clauses: [{}], ...limit } })).next,
        ).toBeUndefined();
      }
      const after = { clauses: [{}], after: "a", maxEntries: 1 };
      expect((await store.read("t", { query: after })).next).toBeUndefined();
    });

    it("counts the tokens that are stored beside an entry, the highest of several counters", async () => {
      const { store } = await stores();
      const tokens = new Map([
        ["one", [5, 5, 5]],
        ["two", [1, 9, 1]],
      ]);
      await store.append("t", messages("a", "b", "c"), { tokens });
      const shown = async (maxTokens: number): Promise<number> =>
        (await store.read("t", { query: { clauses: [{}], maxTokens } })).entries.length;
      expect([await shown(4), await shown(5), await shown(13), await shown(14)]).toEqual([
        0, 1, 1, 2,
      ]);
      expect(await shown(19)).toBe(3);
    });

    it.each(["maxBytes", "maxTokens"])(
      "counts the bytes of an entry's JSON for %s where nobody counted tokens",
      async (limit) => {
        const { store } = await stores();
        const log = messages("a", "é", "👍");
        await store.append("t", log);
        const bytes = log.map((entry) => new TextEncoder().encode(JSON.stringify(entry)).length);
        const lastTwo = (bytes[1] ?? 0) + (bytes[2] ?? 0);
        const shown = async (most: number): Promise<number> =>
          (await store.read("t", { query: { clauses: [{}], [limit]: most } })).entries.length;
        expect(await shown(lastTwo)).toBe(2);
        expect(await shown(lastTwo - 1)).toBe(1);
        expect(await shown(lastTwo + (bytes[0] ?? 0))).toBe(3);
      },
    );
  });
  describeSplitPages(stores, runs);
}

function describeSplitPages(stores: UseStores, runs: number): void {
  describe("pages and exchanges", () => {
    it("leads past an exchange that a limit cuts, which is on neither page if exchanges are to be whole", async () => {
      const { store } = await stores();
      await store.append("t", exchangeBetweenMessages());
      const query = { clauses: [{}], maxEntries: 3 };
      expect(await pagesOf(store, "t", { ...query, wholeExchanges: true })).toEqual([
        ["c", "d"],
        ["a", "b"],
      ]);
      expect(await pagesOf(store, "t", query)).toEqual([
        ["o", "c", "d"],
        ["a", "b", "call"],
      ]);
    });

    it("gives every entry once, whatever is asked", async () => {
      const { store } = await stores();
      let nth = 0;
      const cases = arbitraryThread().chain(({ log }) =>
        fc.tuple(
          fc.constant(log),
          fc.oneof(arbitraryQuery(log), arbitraryQueryOf(log)),
          fc.integer({ min: 1, max: 9 }),
        ),
      );
      await fc.assert(
        fc.asyncProperty(
          cases,
          async ([log, { before: _before, after: _after, ...asked }, size]) => {
            const threadId = `t${(nth += 1)}`;
            await store.append(threadId, log);
            const limits = { maxTokens: Infinity, maxBytes: Infinity };
            const query = { ...asked, ...limits, wholeExchanges: false };
            const whole = await store.read(threadId, { query: { ...query, maxEntries: Infinity } });
            const pages = await pagesOf(store, threadId, { ...query, maxEntries: size });
            expect(pages.toReversed().flat()).toEqual(whole.entries.map(({ id }) => id));
          },
        ),
        { numRuns: runs },
      );
    });
  });
}

function exchangeBetweenMessages(): readonly HistoryEntry[] {
  const call = { id: "c1", name: "read", arguments: "{}" };
  const answer = { callId: "c1", toolName: "read", outcome: "success", content: "" } as const;
  return [
    ...messages("a", "b"),
    action({ id: "call", createdAtMs: 0, toolCalls: [call] }),
    observation({ id: "o", createdAtMs: 0, ...answer }),
    ...messages("c", "d"),
  ];
}

async function pagesOf(
  store: HistoryStore,
  threadId: string,
  query: HistoryQuery,
): Promise<readonly (readonly string[])[]> {
  const pages: (readonly string[])[] = [];
  let next: string | undefined;
  do {
    const { entries, ...page } = await store.read(threadId, {
      query: next === undefined ? query : { ...query, before: next },
    });
    pages.push(entries.map(({ id }) => id));
    next = page.next;
  } while (next !== undefined && pages.length < 100);
  return pages;
}
