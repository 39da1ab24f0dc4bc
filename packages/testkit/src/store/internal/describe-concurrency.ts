import type { HistoryStore } from "@agent-history/core";
import { describe, expect } from "vitest";

import {
  allOf,
  codeOf,
  compact,
  expectOneWinner,
  idsOf,
  manyMessages,
  messages,
} from "./ask-store.ts";
import type { StoreTest } from "./store-test.ts";

const WRITERS = 6;
const BATCHES = 10;

/** Writers and readers at once, on one handle and on several. */
export function describeConcurrency(it: StoreTest): void {
  describe("writers at once", () => {
    it("lose nothing, double nothing and tear no batch; a follower meets every entry once, in order", async ({
      store,
      another,
    }) => {
      const handles = [store, await another(), await another()];
      const writing = Promise.all(
        Array.from({ length: WRITERS }, async (_, writer) => {
          const handle = handles[writer % handles.length] ?? store;
          for (let nth = 0; nth < BATCHES; nth++)
            await handle.append("t", manyMessages(`${writer}-${nth}-`, 3));
        }),
      );
      const met = await follow(await another(), WRITERS * BATCHES * 3);
      await writing;
      expect(await idsOf(store, "t")).toBe(met.join(" "));
      const next = new Map<string, number>();
      for (let start = 0; start < met.length; start += 3) {
        const [writer = "", nth] = met[start]?.split("-") ?? [];
        expect(met.slice(start, start + 3)).toEqual([0, 1, 2].map((n) => `${writer}-${nth}-${n}`));
        expect(Number(nth)).toBe(next.get(writer) ?? 0);
        next.set(writer, Number(nth) + 1);
      }
    });

    it("keep the order in which one of them called, without awaiting", async ({ store }) => {
      const calls = Array.from({ length: 30 }, (_, nth) => store.append("t", messages(`m${nth}`)));
      const results = await Promise.all(calls);
      expect(results.map(({ version }) => version)).toEqual(calls.map((_, nth) => nth + 1));
      expect(await idsOf(store, "t")).toBe(calls.map((_, nth) => `m${nth}`).join(" "));
    });

    it("who expect a version: one wins at each version", async ({ store, another }) => {
      const handles = [store, await another()];
      for (let version = 0; version < 5; version++)
        await expectOneWinner(
          Array.from({ length: WRITERS }, async (_, writer) =>
            (handles[writer % 2] ?? store).append("t", messages(`${version}-${writer}`), {
              expectedVersion: version,
            }),
          ),
        );
      expect((await store.read("t")).entries).toHaveLength(5);
    });

    it("who send the same batch: it is written once", async ({ store, another }) => {
      const handles = [store, await another()];
      const sends = Array.from({ length: 10 }, (_, nth) =>
        (handles[nth % 2] ?? store).append("t", messages("a", "b")),
      );
      const results = await Promise.all(sends);
      expect(results.filter(({ duplicate }) => !duplicate)).toHaveLength(1);
      expect(await idsOf(store, "t")).toBe("a b");
    });
  });

  describe("compactions at once", () => {
    it("of one view: one is taken; of two views: both", async ({ store, another }) => {
      const other = await another();
      await store.append("t", messages("a", "b", "c"));
      const winner = await expectOneWinner(
        Array.from({ length: 6 }, async (_, nth) =>
          compact(nth % 2 === 0 ? store : other, "t", `z${nth}`, ["a", "b"], { viewRevision: 0 }),
        ),
      );
      expect(await idsOf(store, "t", allOf("thread"))).toBe(`z${winner} c`);
      const both = await Promise.all([
        compact(store, "t", "x", ["c", "c"], { viewRevision: 1 }),
        compact(other, "t", "y", ["b", "c"], { view: "conversation", viewRevision: 0 }),
      ]);
      expect(both).toEqual([{ viewRevision: 2 }, { viewRevision: 1 }]);
      expect(await idsOf(other, "t", allOf("thread"))).toBe(`z${winner} x`);
      expect(await idsOf(store, "t", allOf("conversation"))).toBe("a y");
    });

    it("fail no append, and no append fails them", async ({ store, another }) => {
      const other = await another();
      await store.append("t", messages("a", "b"));
      for (let nth = 0; nth < 10; nth++) {
        const [from, to] = nth === 0 ? ["a", "b"] : [`z${nth - 1}`, `m${nth - 1}`];
        const work = [
          store.append("t", messages(`m${nth}`), { expectedVersion: nth + 2 }),
          compact(other, "t", `z${nth}`, [from, to], { viewRevision: nth }),
        ];
        expect(await Promise.all(work)).toEqual([
          { version: nth + 3, duplicate: false },
          { viewRevision: nth + 1 },
        ]);
      }
      expect(await idsOf(store, "t", allOf("thread"))).toBe("z9 m9");
    });

    it("meet an expansion: the order decides, and nothing is lost", async ({ store, another }) => {
      const other = await another();
      await store.append("t", messages("a", "b", "c"));
      await compact(store, "t", "z1", ["a", "b"], { viewRevision: 0 });
      const codes = await Promise.all([
        codeOf(compact(store, "t", "z2", ["z1", "c"], { viewRevision: 1 })),
        codeOf(other.expand("t", "z1")),
      ]);
      expect(codes.filter((code) => code === undefined)).toHaveLength(1);
      const shown = codes[0] === undefined ? "z2" : "a b c";
      expect(await idsOf(store, "t", allOf("thread"))).toBe(shown);
    });

    it("and expansions show a reader one state: summary and revision together", async ({
      store,
      another,
    }) => {
      const reader = await another();
      await store.append("t", manyMessages("m", 40));
      const progress = { isOver: false };
      const writing = (async () => {
        for (let nth = 0; nth < 30; nth += 1) {
          await compact(store, "t", "z", ["m0", "m30"], { viewRevision: 2 * nth });
          await store.expand("t", "z");
        }
      })().finally(() => (progress.isOver = true));
      while (!progress.isOver) {
        const query = { clauses: [{}], view: "thread" } as const;
        const { entries, viewRevision } = await reader.read("t", { query });
        expect([viewRevision, entries.length]).toEqual([
          viewRevision,
          viewRevision % 2 === 0 ? 40 : 10,
        ]);
      }
      await writing;
    });
  });
}

/** Reads on after the last entry, until there are this many. */
async function follow(reader: HistoryStore, count: number): Promise<readonly string[]> {
  const met: string[] = [];
  while (met.length < count) {
    const after = met.at(-1);
    const query = { clauses: [{}], ...(after !== undefined && { after }) };
    const { entries, version } = await reader.read("t", { query });
    met.push(...entries.map(({ id }) => id));
    expect([met.length % 3, version]).toEqual([0, met.length]);
  }
  return met;
}
