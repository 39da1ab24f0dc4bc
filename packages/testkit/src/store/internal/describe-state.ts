import type { HistoryStore, JsonValue, StateItem } from "@agent-history/core";
import { describe, expect, it } from "vitest";

import { codeOf, idsOf, listed, messages } from "./ask-store.ts";
import type { UseStores } from "./use-stores.ts";

/** Small state beside the log. */
export function describeState(stores: UseStores): void {
  describe("state", () => {
    it("is written by revision", async () => {
      const { store } = await stores();
      expect(await store.getState("t", "plan")).toBeUndefined();
      const first = await store.setState("t", "plan", { a: 1 }, { expectedRevision: 0 });
      expect(first).toEqual({ revision: 1 });
      for (const expectedRevision of [0, 2, -1]) {
        const stale = store.setState("t", "plan", 2, { expectedRevision });
        expect(await codeOf(stale)).toBe("VERSION_CONFLICT");
      }
      expect(await store.getState("t", "plan")).toEqual({ value: { a: 1 }, revision: 1 });
      await store.setState("t", "plan", null, { expectedRevision: 1 });
      expect(await store.getState("t", "plan")).toEqual({ value: null, revision: 2 });
      const early = store.setState("t", "other", 1, { expectedRevision: 1 });
      expect(await codeOf(early)).toBe("VERSION_CONFLICT");
    });

    it("keeps any JSON, key by key and thread by thread", async () => {
      const { store, another } = await stores();
      const values: readonly JsonValue[] = [null, false, 0, "", "x", [], {}, [[1], { a: null }]];
      for (const [index, value] of values.entries()) {
        await store.setState("t", `key${index}`, value, { expectedRevision: 0 });
      }
      const other = await another();
      for (const [index, value] of values.entries()) {
        expect(await other.getState("t", `key${index}`)).toEqual({ value, revision: 1 });
      }
      expect(await other.getState("u", "key0")).toBeUndefined();
    });

    it("stands beside the log: no entry, no version", async () => {
      const { store } = await stores();
      await store.setState("t", "plan", 1, { expectedRevision: 0 });
      expect(await listed(store)).toEqual(["t"]);
      expect((await store.read("t")).version).toBe(0);
      const none = store.append("t", messages("a"), { expectedVersion: "none" });
      expect(await codeOf(none)).toBe("VERSION_CONFLICT");
      await store.append("t", [], { expectedVersion: "exists" });
      await store.append("t", messages("a"), { expectedVersion: 0 });
      expect(await idsOf(store, "t")).toBe("a");
      expect(await store.getState("t", "plan")).toEqual({ value: 1, revision: 1 });
    });

    it("is taken by one of many writers at a time", async () => {
      const { store, another } = await stores();
      const handles = [store, await another()];
      const tries = Array.from({ length: 20 }, (_, index) =>
        codeOf(handles[index % 2]?.setState("t", "n", index, { expectedRevision: 0 }) ?? never()),
      );
      const codes = await Promise.all(tries);
      expect(codes.filter((code) => code === undefined)).toHaveLength(1);
      expect(codes.filter((code) => code === "VERSION_CONFLICT")).toHaveLength(19);
      expect((await store.getState("t", "n"))?.revision).toBe(1);
    });
  });
  describeRemovedState(stores);
  describeListedState(stores);
  describeRefusedState(stores);
}

function describeRemovedState(stores: UseStores): void {
  describe("state that was removed", () => {
    it("is gone, and what comes after has a revision that was never given", async () => {
      const { store, another } = await stores();
      await store.setState("t", "a", 1, { expectedRevision: 0 });
      await store.setState("t", "a", 2, { expectedRevision: 1 });
      await store.setState("t", "b", 1, { expectedRevision: 0 });
      for (const expectedRevision of [0, 1, 3]) {
        const stale = store.setState("t", "a", undefined, { expectedRevision });
        expect(await codeOf(stale)).toBe("VERSION_CONFLICT");
      }
      const removed = await store.setState("t", "a", undefined, { expectedRevision: 2 });
      expect(removed).toEqual({ revision: 0 });
      const other = await another();
      expect(await other.getState("t", "a")).toBeUndefined();
      const stale = other.setState("t", "a", 3, { expectedRevision: 2 });
      expect(await codeOf(stale)).toBe("VERSION_CONFLICT");
      expect(await other.setState("t", "a", 3, { expectedRevision: 0 })).toEqual({ revision: 3 });
      expect(await store.getState("t", "b")).toEqual({ value: 1, revision: 1 });
    });

    it("may be removed again, and begins no thread", async () => {
      const { store } = await stores();
      const options = { expectedRevision: 0 };
      expect(await store.setState("t", "a", undefined, options)).toEqual({ revision: 0 });
      expect(await listed(store)).toEqual([]);
      await store.setState("t", "a", 1, options);
      await store.setState("t", "a", undefined, { expectedRevision: 1 });
      expect(await store.setState("t", "a", undefined, options)).toEqual({ revision: 0 });
      expect(await listed(store)).toEqual(["t"]);
    });

    it("is removed by one of many", async () => {
      const { store, another } = await stores();
      const handles = [store, await another()];
      await store.setState("t", "n", 1, { expectedRevision: 0 });
      const tries = Array.from({ length: 10 }, (_, index) =>
        codeOf(
          handles[index % 2]?.setState("t", "n", undefined, { expectedRevision: 1 }) ?? never(),
        ),
      );
      const codes = await Promise.all(tries);
      expect(codes.filter((code) => code === undefined)).toHaveLength(1);
      expect(codes.filter((code) => code === "VERSION_CONFLICT")).toHaveLength(9);
    });
  });
}

function describeListedState(stores: UseStores): void {
  describe("listState", () => {
    it("gives every value once, page by page, by a prefix that is text", async () => {
      const { store } = await stores();
      const keys = [
        "",
        "a",
        "a/1",
        "a/2",
        "ab",
        "*",
        "%",
        "a_c",
        '"',
        "\uD83D",
        "👍1",
        "__proto__",
      ];
      for (const [index, key] of keys.entries()) {
        await store.setState("t", key, { index }, { expectedRevision: 0 });
      }
      await store.setState("u", "a", 0, { expectedRevision: 0 });
      for (const prefix of ["", "a", "a/", "*", "a_", "👍", "\uD83D", "missing"]) {
        for (const limit of [1, 3, Infinity]) {
          const wanted = keys.flatMap((key, index) =>
            key.startsWith(prefix) ? [{ key, value: { index }, revision: 1 }] : [],
          );
          const found = await itemsOf(store, { prefix, limit });
          expect(found.toSorted(byKey)).toEqual(wanted.toSorted(byKey));
        }
      }
    });

    it("is empty for no state and for a limit of 0, and refuses what is no count", async () => {
      const { store } = await stores();
      expect(await store.listState("t")).toEqual({ items: [] });
      await store.setState("t", "a", 1, { expectedRevision: 0 });
      expect(await store.listState("t", { limit: 0 })).toEqual({ items: [] });
      for (const limit of [-1, 0.5, Number.NaN]) {
        expect(await codeOf(store.listState("t", { limit }))).toBe("INVALID_OPTION");
      }
      await store.delete("t");
      expect(await codeOf(store.listState("t"))).toBe("THREAD_DELETED");
    });
  });
}

async function itemsOf(
  store: HistoryStore,
  options: { readonly prefix: string; readonly limit: number },
): Promise<readonly StateItem[]> {
  const items: StateItem[] = [];
  let cursor: string | undefined;
  do {
    const page = await store.listState("t", {
      ...options,
      ...(cursor !== undefined && { cursor }),
    });
    expect(page.items.length).toBeLessThanOrEqual(options.limit);
    items.push(...page.items);
    cursor = page.cursor;
  } while (cursor !== undefined && items.length < 100);
  return items;
}

function byKey(one: StateItem, other: StateItem): number {
  return one.key < other.key ? -1 : 1;
}

function describeRefusedState(stores: UseStores): void {
  describe("a value of state", () => {
    it("is refused where it is no JSON, with a typed error", async () => {
      const { store } = await stores();
      const cyclic: Record<string, unknown> = {};
      cyclic["self"] = cyclic;
      let deep: unknown = 0;
      for (let level = 0; level < 200_000; level++) deep = [deep];
      const throwing = {
        get field(): never {
          throw new Error("unreadable");
        },
      };
      const lost = [Number.NaN, Infinity, 1n, Symbol("x"), new Date(0), new Map()];
      const inside = [...lost, undefined].flatMap((value) => [[value], { a: { b: value } }]);
      for (const value of [() => 0, cyclic, deep, throwing, ...lost, ...inside]) {
        // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what the types forbid is the point
        const set = store.setState("t", "k", value as JsonValue, { expectedRevision: 0 });
        expect(await codeOf(set)).toBe("INVALID_OPTION");
      }
      expect(await store.getState("t", "k")).toBeUndefined();
      // Nothing was written: not even the thread.
      expect(await listed(store)).toEqual([]);
    });

    it("is refused with the path of what JSON would lose", async () => {
      const { store } = await stores();
      const value = { a: [1, { b: Number.NaN }] };
      const set = store.setState("t", "k", value, { expectedRevision: 0 });
      await expect(set).rejects.toMatchObject({
        code: "INVALID_OPTION",
        details: { option: "value", path: "a.1.b" },
      });
    });
  });
}

async function never(): Promise<void> {
  throw new Error("two handles");
}
