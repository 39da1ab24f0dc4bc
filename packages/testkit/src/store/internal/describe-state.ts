import type { JsonValue } from "@agent-history/core";
import { describe, expect, it } from "vitest";

import { codeOf, idsOf, messages } from "./ask-store.ts";
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
      expect((await store.list()).threadIds).toEqual(["t"]);
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
  describeRefusedState(stores);
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
      for (const value of [undefined, () => 0, cyclic, deep, throwing, ...lost, ...inside]) {
        // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what the types forbid is the point
        const set = store.setState("t", "k", value as JsonValue, { expectedRevision: 0 });
        expect(await codeOf(set)).toBe("INVALID_OPTION");
      }
      expect(await store.getState("t", "k")).toBeUndefined();
      // Nothing was written: not even the thread.
      expect((await store.list()).threadIds).toEqual([]);
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
