import type { HistoryStore } from "@agent-history/core";
import { describe, expect, it } from "vitest";

import { allOf, codeOf, compact, idsOf, manyMessages, messages } from "./ask-store.ts";
import type { UseStores } from "./use-stores.ts";

const WRITERS = 6;
const BATCHES = 10;

/** Writers and readers at once, on one handle and on several. */
export function describeConcurrency(stores: UseStores): void {
  describe("writers at once", () => {
    it("lose nothing, double nothing, and tear no batch", async () => {
      const { store, another } = await stores();
      const handles = [store, await another(), await another()];
      await Promise.all(
        Array.from({ length: WRITERS }, async (_, writer) => {
          const handle = handles[writer % handles.length] ?? store;
          for (let nth = 0; nth < BATCHES; nth++) {
            await handle.append("t", manyMessages(`${writer}-${nth}-`, 3));
          }
        }),
      );
      expectWholeBatches(await idsOf(store, "t"));
    });

    it("keep the order in which one of them called, without awaiting", async () => {
      const { store } = await stores();
      const calls = Array.from({ length: 30 }, (_, nth) => store.append("t", messages(`m${nth}`)));
      const results = await Promise.all(calls);
      expect(results.map(({ version }) => version)).toEqual(calls.map((_, nth) => nth + 1));
      expect(await idsOf(store, "t")).toBe(calls.map((_, nth) => `m${nth}`).join(" "));
    });

    it("who expect a version: one wins at each version", async () => {
      const { store, another } = await stores();
      const handles = [store, await another()];
      for (let version = 0; version < 5; version++) {
        const tries = Array.from({ length: WRITERS }, (_, writer) =>
          codeOf(
            (handles[writer % 2] ?? store).append("t", messages(`${version}-${writer}`), {
              expectedVersion: version,
            }),
          ),
        );
        const codes = await Promise.all(tries);
        expect(codes.filter((code) => code === undefined)).toHaveLength(1);
        expect(codes.filter((code) => code === "VERSION_CONFLICT")).toHaveLength(WRITERS - 1);
      }
      expect((await store.read("t")).entries).toHaveLength(5);
    });
  });
  describeRepeatedWrites(stores);
  describeCompactionRaces(stores);
  describeFollowers(stores);
}

function describeRepeatedWrites(stores: UseStores): void {
  describe("the same batch, and readers beside writers", () => {
    it("who send the same batch: it is written once", async () => {
      const { store, another } = await stores();
      const handles = [store, await another()];
      const sends = Array.from({ length: 10 }, (_, nth) =>
        (handles[nth % 2] ?? store).append("t", messages("a", "b")),
      );
      const results = await Promise.all(sends);
      expect(results.filter(({ duplicate }) => !duplicate)).toHaveLength(1);
      expect(await idsOf(store, "t")).toBe("a b");
    });

    it("never show a reader half a batch, and its version fits what it sees", async () => {
      const { store, another } = await stores();
      const reader = await another();
      const writing = (async () => {
        for (let nth = 0; nth < 20; nth++) {
          await store.append("t", manyMessages(`m${nth}-`, 5));
        }
      })();
      let seen = 0;
      while (seen < 100) {
        const { entries, version } = await reader.read("t");
        expect([entries.length % 5, version]).toEqual([0, entries.length]);
        expect(version).toBeGreaterThanOrEqual(seen);
        seen = version;
      }
      await writing;
    });
  });
}

/** Each batch of three stands whole, in order, once; each writer's batches stand in order. */
function expectWholeBatches(shown: string): void {
  const ids = shown.split(" ");
  expect(ids).toHaveLength(WRITERS * BATCHES * 3);
  const next = new Map<string, number>();
  for (let start = 0; start < ids.length; start += 3) {
    const [writer = "", nth] = ids[start]?.split("-") ?? [];
    expect(ids.slice(start, start + 3)).toEqual([0, 1, 2].map((n) => `${writer}-${nth}-${n}`));
    expect(Number(nth)).toBe(next.get(writer) ?? 0);
    next.set(writer, Number(nth) + 1);
  }
}

function describeCompactionRaces(stores: UseStores): void {
  describe("compactions at once", () => {
    it("of one view: one is taken", async () => {
      const { store, another } = await stores();
      const handles = [store, await another()];
      await store.append("t", messages("a", "b", "c"));
      const tries = Array.from({ length: 6 }, (_, nth) =>
        codeOf(compact(handles[nth % 2] ?? store, "t", `z${nth}`, ["a", "b"], { viewRevision: 0 })),
      );
      const codes = await Promise.all(tries);
      expect(codes.filter((code) => code === undefined)).toHaveLength(1);
      expect(codes.filter((code) => code === "VERSION_CONFLICT")).toHaveLength(5);
      const winner = codes.indexOf(undefined);
      expect(await idsOf(store, "t", allOf("thread"))).toBe(`z${winner} c`);
    });

    it("of two views: both are taken", async () => {
      const { store, another } = await stores();
      const other = await another();
      await store.append("t", messages("a", "b", "c"));
      const both = await Promise.all([
        compact(store, "t", "z1", ["a", "b"], { view: "thread", viewRevision: 0 }),
        compact(other, "t", "z2", ["b", "c"], { view: "conversation", viewRevision: 0 }),
      ]);
      expect(both).toEqual([{ viewRevision: 1 }, { viewRevision: 1 }]);
      expect(await idsOf(other, "t", allOf("thread"))).toBe("z1 c");
      expect(await idsOf(store, "t", allOf("conversation"))).toBe("a z2");
    });

    it("fail no append, and no append fails them", async () => {
      const { store, another } = await stores();
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
      expect((await store.read("t")).entries).toHaveLength(12);
    });
  });
  describeExpansionRace(stores);
}

function describeExpansionRace(stores: UseStores): void {
  describe("a compaction and an expansion at once", () => {
    it("meet an expansion: the order decides, and nothing is lost", async () => {
      const { store, another } = await stores();
      const other = await another();
      await store.append("t", messages("a", "b", "c"));
      await compact(store, "t", "z1", ["a", "b"], { viewRevision: 0 });
      const codes = await Promise.all([
        codeOf(compact(store, "t", "z2", ["z1", "c"], { viewRevision: 1 })),
        codeOf(other.expand("t", "z1")),
      ]);
      expect(codes.filter((code) => code === undefined)).toHaveLength(1);
      const shown = await idsOf(store, "t", allOf("thread"));
      expect(shown).toBe(codes[0] === undefined ? "z2" : "a b c");
    });
  });
}

function describeFollowers(stores: UseStores): void {
  describe("a follower", () => {
    it("reads on after the last entry it has, and meets every entry once, in order", async () => {
      const { store, another } = await stores();
      const reader = await another();
      const writing = Promise.all(
        [0, 1].map((writer) => writeBatches(store, `${writer}-`, BATCHES)),
      );
      const met: string[] = [];
      while (met.length < 2 * BATCHES * 2) {
        const after = met.at(-1);
        const query = { clauses: [{}], ...(after !== undefined && { after }) };
        const { entries, version } = await reader.read("t", { query });
        met.push(...entries.map(({ id }) => id));
        expect(version).toBe(met.length);
      }
      await writing;
      expect(await idsOf(store, "t")).toBe(met.join(" "));
    });
  });
}

async function writeBatches(store: HistoryStore, prefix: string, count: number): Promise<void> {
  for (let nth = 0; nth < count; nth++) {
    await store.append("t", manyMessages(`${prefix}${nth}-`, 2));
  }
}
