import type { HistoryStore, JsonValue, StateItem } from "@agent-history/core";
import { describe, expect } from "vitest";

import { codeOf, namesIn, pagesOf } from "./ask-store.ts";
import type { StoreTest } from "./store-test.ts";

/** Small state beside the log. */
export function describeState(it: StoreTest): void {
  describe("state", () => {
    it("is any JSON, key by key and thread by thread", async ({ store, another }) => {
      const values: readonly JsonValue[] = [null, false, -0, "", "x", [], {}, [[1], { "": null }]];
      for (const [nth, value] of values.entries())
        await store.setState("t", `key${nth}`, value, { expectedRevision: 0 });
      const other = await another();
      for (const [nth, value] of values.entries())
        expect(await other.getState("t", `key${nth}`)).toEqual({
          value: value === 0 ? 0 : value,
          revision: 1,
        });
      expect(await other.getState("u", "key0")).toBeUndefined();
    });

    it("is refused where it is no JSON, with the path of what would be lost", async ({ store }) => {
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
        const set = store.setState("t", "k", value as JsonValue, { expectedRevision: 0 });
        expect(await codeOf(set)).toBe("INVALID_OPTION");
      }
      const value = { a: [1, { b: Number.NaN }] };
      const details = { option: "value", path: "a.1.b" };
      await expect(store.setState("t", "k", value, { expectedRevision: 0 })).rejects.toMatchObject({
        details,
      });
      expect(await namesIn(store)).toEqual([]);
    });
  });

  describe("listState", () => {
    it("gives every value once, page by page, by a prefix that is text", async ({ store }) => {
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
      const items = keys.map((key, index) => ({ key, value: { index }, revision: 1 }));
      for (const { key, value } of items)
        await store.setState("t", key, value, { expectedRevision: 0 });
      await store.setState("u", "a", 0, { expectedRevision: 0 });
      for (const prefix of ["", "a", "a/", "*", "a_", "👍", "\uD83D", "missing"])
        for (const limit of [1, 3, Infinity]) {
          const wanted = items.filter(({ key }) => key.startsWith(prefix));
          const pages = await statePages(store, { prefix, limit });
          expect(pages.flat().toSorted(byKey)).toEqual(wanted.toSorted(byKey));
        }
    });

    it("is empty for no state and for a limit of 0, and refuses what is no count", async ({
      store,
    }) => {
      expect(await store.listState("t")).toEqual({ items: [] });
      await store.setState("t", "a", 1, { expectedRevision: 0 });
      expect(await store.listState("t", { limit: 0 })).toEqual({ items: [] });
      for (const limit of [-1, 0.5, Number.NaN])
        expect(await codeOf(store.listState("t", { limit }))).toBe("INVALID_OPTION");
    });
  });
}

function statePages(
  store: HistoryStore,
  options: { readonly prefix: string; readonly limit: number },
): Promise<readonly (readonly StateItem[])[]> {
  return pagesOf(async (at) => {
    const { items, cursor } = await store.listState("t", { ...options, ...at });
    expect(items.length).toBeLessThanOrEqual(options.limit);
    return [items, cursor];
  });
}

function byKey(one: StateItem, other: StateItem): number {
  return one.key < other.key ? -1 : 1;
}
