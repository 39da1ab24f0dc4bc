import type { HistoryStore } from "@agent-history/core";
import { isHistoryError } from "@agent-history/core";
import { describe, expect } from "vitest";

import {
  codeOf,
  compact,
  expectOneWinner,
  idsOf,
  manyMessages,
  messages,
  replace,
} from "./ask-store.ts";
import type { StoreTest } from "./store-test.ts";

/** Suffixes that are replaced: editing, regenerating, resetting. */
export function describeReplacements(it: StoreTest): void {
  describe("replaceSuffix", () => {
    it("puts other entries in place of the last ones, and the thread goes on behind them", async ({
      store,
    }) => {
      await store.append("t", messages("a", "b", "c"), { tokens: new Map([["n", [1, 2, 3]]]) });
      await store.setState("t", "key", 1, { expectedRevision: 0 });
      const edit = { from: "b", expectedVersion: 3, replacement: messages("b2"), operationId: "o" };
      const tokens = new Map([["n", [7]]]);
      expect(await store.replaceSuffix("t", { ...edit, tokens })).toEqual({ version: 5 });
      const { problems: _, ...read } = await store.read("t");
      expect(read).toEqual({
        entries: messages("a", "b2"),
        tokens: new Map([["n", [1, 7]]]),
        version: 5,
        entryCount: 2,
        viewRevision: 0,
      });
      await store.append("t", messages("d"), { expectedVersion: 5 });
      expect(await idsOf(store, "t")).toBe("a b2 d");
      expect(await store.getState("t", "key")).toEqual({ value: 1, revision: 1 });
      expect(await store.verify("t")).toEqual([]);
    });

    it("refuses what it cannot do, and changes nothing", async ({ store }) => {
      await store.append("t", messages("a", "b", "c"));
      await compact(store, "t", "z", ["a", "a"], { viewRevision: 0 });
      const sound = { from: "b", expectedVersion: 3, replacement: messages("d"), operationId: "o" };
      const refused: readonly (readonly [object, string])[] = [
        [{ from: "gone" }, "NOT_FOUND"],
        [{ from: "z" }, "NOT_FOUND"],
        [{ from: 5 }, "INVALID_OPTION"],
        [{ operationId: "" }, "INVALID_OPTION"],
        [{ operationId: undefined }, "INVALID_OPTION"],
        [{ operationId: "o".repeat(2001) }, "TOO_LARGE"],
        [{ expectedVersion: 2 }, "VERSION_CONFLICT"],
        [{ expectedVersion: "none" }, "VERSION_CONFLICT"],
        [{ replacement: messages("d", "a") }, "DUPLICATE_ID"],
        [{ replacement: messages("z") }, "DUPLICATE_ID"],
        [{ replacement: messages("d", "d") }, "DUPLICATE_ID"],
        [{ replacement: manyMessages("m", 501) }, "TOO_LARGE"],
      ];
      for (const [change, code] of refused)
        expect(await codeOf(store.replaceSuffix("t", { ...sound, ...change }))).toBe(code);
      expect(await codeOf(store.replaceSuffix("missing", sound))).toBe("NOT_FOUND");
      expect(await store.read("t")).toMatchObject({
        version: 3,
        entries: messages("a", "b", "c"),
      });
    });
  });

  describe("ids of what was replaced", () => {
    it("stay known: equal is a retry, anything else is refused", async ({ store, another }) => {
      await store.append("t", messages("a", "b", "c"));
      await replace(store, "b", ["x"]);
      for (const one of [store, await another()]) {
        expect(await one.append("t", messages("b", "c"))).toEqual({ version: 5, duplicate: true });
        expect((await one.append("t", messages("a", "b"))).duplicate).toBe(true);
        const changed = messages("b").map((entry) => ({ ...entry, createdAtMs: 5 }));
        for (const batch of [messages("c", "d"), changed])
          expect(await codeOf(one.append("t", batch))).toBe("DUPLICATE_ID");
        const summary = compact(one, "t", "b", ["a", "x"], { viewRevision: 1 });
        expect(await codeOf(summary)).toBe("DUPLICATE_ID");
      }
      expect(await idsOf(store, "t")).toBe("a x");
    });

    it("lets a replacement use its ids again; a late retry of what stood there is one", async ({
      store,
    }) => {
      await store.append("t", messages("a", "b"));
      const [second, third] = [5, 6].map((createdAtMs) =>
        messages("b").map((entry) => ({ ...entry, createdAtMs })),
      );
      const edit = { from: "b", expectedVersion: 2, operationId: "o" };
      await store.replaceSuffix("t", { ...edit, replacement: second ?? [] });
      expect((await store.append("t", messages("b"))).duplicate).toBe(true);
      expect((await store.append("t", second ?? [])).duplicate).toBe(true);
      expect(await codeOf(store.append("t", third ?? []))).toBe("DUPLICATE_ID");
      expect((await store.read("t")).entries.slice(1)).toEqual(second);
    });
  });

  describe("operation ids", () => {
    it("answer the same operation as the first time, and refuse another content", async ({
      store,
      another,
    }) => {
      await store.append("t", messages("a", "b"));
      const edit = { from: "b", expectedVersion: 2, replacement: messages("c"), operationId: "o" };
      expect(await store.replaceSuffix("t", edit)).toEqual({ version: 4 });
      await store.append("t", messages("d"));
      for (const one of [store, await another()]) {
        for (const expectedVersion of [2, 9])
          expect(await one.replaceSuffix("t", { ...edit, expectedVersion })).toEqual({
            version: 4,
          });
        for (const other of [{ from: "a" }, { replacement: messages("e") }, { replacement: [] }])
          expect(await codeOf(one.replaceSuffix("t", { ...edit, ...other }))).toBe("DUPLICATE_ID");
      }
      await replace(store, "c", []);
      expect(await store.replaceSuffix("t", edit)).toEqual({ version: 4 });
      expect(await idsOf(store, "t")).toBe("a");
    });
  });

  describe("a reader that follows a thread", () => {
    it("is told from where to read again, where its last entry was replaced", async ({ store }) => {
      await store.append("t", messages("a", "b", "c", "d"));
      await replace(store, "d", ["e"]);
      expect(await lastCommonOf(store, "d")).toBe("c");
      await store.append("t", messages("f"));
      await replace(store, "f", ["g", "h"]);
      await replace(store, "b", ["i"]);
      for (const id of ["c", "d", "e", "f", "h"]) expect(await lastCommonOf(store, id)).toBe("a");
      expect(await idsOf(store, "t", { clauses: [{}], after: "a" })).toBe("i");
      expect(await idsOf(store, "t", { clauses: [{}], before: "i" })).toBe("a");
      await replace(store, "a", []);
      expect(await lastCommonOf(store, "i")).toBe("none");
      expect(await codeOf(store.read("t", { query: { clauses: [{}], after: "never" } }))).toBe(
        "NOT_FOUND",
      );
    });
  });

  describe("replacements by several handles", () => {
    it("let one of several at one version win", async ({ store, another }) => {
      await store.append("t", messages("a", "b"));
      const handles = [store, await another(), await another()];
      const edit = { from: "b", expectedVersion: 2 };
      const winner = await expectOneWinner(
        handles.map(async (handle, nth) =>
          handle.replaceSuffix("t", {
            ...edit,
            replacement: messages(`c${nth}`),
            operationId: `o${nth}`,
          }),
        ),
      );
      expect(await idsOf(store, "t")).toBe(`a c${winner}`);
    });

    it("show a reader one state, while suffixes are replaced, and forks begin", async ({
      store,
      another,
    }) => {
      await store.append("t", manyMessages("m", 300));
      const writer = await another();
      const progress = { isOver: false };
      const written = (async () => {
        let from = "m100";
        for (let round = 0; round < 6; round += 1) {
          await replace(
            writer,
            from,
            Array.from({ length: 200 }, (_, nth) => `${round}-${nth}`),
          );
          from = `${round}-0`;
        }
      })().finally(() => (progress.isOver = true));
      for (let nth = 0; !progress.isOver; nth += 1) {
        const { entries, entryCount, problems } = await store.read("t");
        expect([entries.length, problems]).toEqual([entryCount, []]);
        expect(new Set(entries.slice(100).map(({ id }) => id.split("-")[0]?.[0])).size).toBe(1);
        // The entry may go meanwhile.
        const at = entries[150]?.id ?? "";
        const code = await codeOf(store.fork("t", { at, as: `f${nth}` }));
        if (code !== undefined) continue;
        const forked = await store.read(`t/f${nth}`);
        expect(forked.entries).toEqual(entries.slice(0, 151));
      }
      await written;
      expect(await store.verify("t")).toEqual([]);
    });
  });
}

async function lastCommonOf(store: HistoryStore, after: string): Promise<unknown> {
  const error: unknown = await store
    .read("t", { query: { clauses: [{}], after } })
    .catch((reason: unknown) => reason);
  if (!isHistoryError(error, "HISTORY_REWOUND")) throw error;
  return error.details["lastCommonId"] ?? "none";
}
