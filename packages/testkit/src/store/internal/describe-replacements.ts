import type { HistoryStore } from "@agent-history/core";
import { isHistoryError } from "@agent-history/core";
import { describe, expect, it } from "vitest";

import { allOf, codeOf, compact, idsOf, manyMessages, messages, replace } from "./ask-store.ts";
import { describeReplacedViews } from "./describe-replaced-views.ts";
import type { UseStores } from "./use-stores.ts";

/** Suffixes that are replaced: editing, regenerating, resetting. */
export function describeReplacements(stores: UseStores, hasLongTests: boolean): void {
  describe("replaceSuffix", () => {
    it("puts other entries in place of the last ones, and the thread goes on behind them", async () => {
      const { store } = await stores();
      await store.append("t", messages("a", "b", "c"), { tokens: new Map([["n", [1, 2, 3]]]) });
      const edit = { from: "b", expectedVersion: 3, replacement: messages("b2"), operationId: "o" };
      expect(await store.replaceSuffix("t", { ...edit, tokens: new Map([["n", [7]]]) })).toEqual({
        version: 5,
      });
      const read = await store.read("t");
      expect(read.entries).toEqual(messages("a", "b2"));
      expect(read.tokens).toEqual(new Map([["n", [1, 7]]]));
      expect([read.version, read.entryCount, read.viewRevision]).toEqual([5, 2, 0]);
      expect(await store.append("t", messages("d"), { expectedVersion: 5 })).toEqual({
        version: 6,
        duplicate: false,
      });
      expect(await idsOf(store, "t")).toBe("a b2 d");
      expect(await store.verify("t")).toEqual([]);
    });

    it("takes off an end, empties a thread, and fills it again", async () => {
      const { store } = await stores();
      await store.append("t", messages("a", "b", "c"));
      await replace(store, "c", []);
      expect(await idsOf(store, "t")).toBe("a b");
      await replace(store, "a", []);
      const { version, entryCount, entries } = await store.read("t");
      expect([version, entryCount, entries]).toEqual([5, 0, []]);
      expect(await codeOf(store.append("t", messages("d"), { expectedVersion: 0 }))).toBe(
        "VERSION_CONFLICT",
      );
      await store.append("t", messages("d", "e"), { expectedVersion: 5 });
      await replace(store, "d", ["f", "d"]);
      expect(await idsOf(store, "t")).toBe("f d");
      expect(await store.verify("t")).toEqual([]);
    });
  });
  describeKnownIds(stores);
  describeRefusals(stores);
  describeOperations(stores, hasLongTests);
  describeRewoundReaders(stores);
  describeReplacedViews(stores);
}

function describeKnownIds(stores: UseStores): void {
  describe("ids of what was replaced", () => {
    it("stay known: equal is a retry, anything else is refused", async () => {
      const { store, another } = await stores();
      await store.append("t", messages("a", "b", "c"));
      await replace(store, "b", ["x"]);
      const handle = await another();
      for (const one of [store, handle]) {
        expect(await one.append("t", messages("b", "c"))).toEqual({ version: 5, duplicate: true });
        expect((await one.append("t", messages("a", "b"))).duplicate).toBe(true);
        expect(await codeOf(one.append("t", messages("c", "d")))).toBe("DUPLICATE_ID");
        const changed = messages("b").map((entry) => ({ ...entry, createdAtMs: 5 }));
        expect(await codeOf(one.append("t", changed))).toBe("DUPLICATE_ID");
      }
      expect(await idsOf(store, "t")).toBe("a x");
    });

    it("lets a replacement use its ids again; a late retry of what stood there is one", async () => {
      const { store } = await stores();
      await store.append("t", messages("a", "b"));
      const [edited] = messages("b");
      if (edited === undefined) throw new Error("no message");
      const replacement = [{ ...edited, createdAtMs: 5 }];
      await store.replaceSuffix("t", {
        from: "b",
        expectedVersion: 2,
        replacement,
        operationId: "o",
      });
      expect((await store.read("t")).entries.at(-1)).toEqual(replacement[0]);
      expect((await store.append("t", messages("b"))).duplicate).toBe(true);
      expect((await store.append("t", replacement)).duplicate).toBe(true);
      const third = [{ ...edited, createdAtMs: 6 }];
      expect(await codeOf(store.append("t", third))).toBe("DUPLICATE_ID");
      expect((await store.read("t")).entries.at(-1)).toEqual(replacement[0]);
    });
  });
}

function describeRefusals(stores: UseStores): void {
  describe("replaceSuffix refused", () => {
    it("refuses what it cannot do, and changes nothing", async () => {
      const { store } = await stores();
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
      for (const [change, code] of refused) {
        expect(await codeOf(store.replaceSuffix("t", { ...sound, ...change }))).toBe(code);
      }
      expect(await codeOf(store.replaceSuffix("missing", sound))).toBe("NOT_FOUND");
      const { version, entries } = await store.read("t");
      expect([version, entries]).toEqual([3, messages("a", "b", "c")]);
      await store.delete("t");
      expect(await codeOf(store.replaceSuffix("t", sound))).toBe("THREAD_DELETED");
    });
  });
}

function describeOperations(stores: UseStores, hasLongTests: boolean): void {
  describe("operation ids", () => {
    it("answer the same operation as the first time, and refuse another content", async () => {
      const { store, another } = await stores();
      await store.append("t", messages("a", "b"));
      const edit = { from: "b", expectedVersion: 2, replacement: messages("c"), operationId: "o" };
      expect(await store.replaceSuffix("t", edit)).toEqual({ version: 4 });
      await store.append("t", messages("d"));
      for (const one of [store, await another()]) {
        expect(await one.replaceSuffix("t", edit)).toEqual({ version: 4 });
        expect(await one.replaceSuffix("t", { ...edit, expectedVersion: 9 })).toEqual({
          version: 4,
        });
        for (const other of [{ from: "a" }, { replacement: messages("e") }, { replacement: [] }]) {
          expect(await codeOf(one.replaceSuffix("t", { ...edit, ...other }))).toBe("DUPLICATE_ID");
        }
      }
      expect(await idsOf(store, "t")).toBe("a c d");
      await replace(store, "c", []);
      expect(await store.replaceSuffix("t", edit)).toEqual({ version: 4 });
      expect(await idsOf(store, "t")).toBe("a");
    });

    it.runIf(hasLongTests)("are remembered of the last thousand", async () => {
      const { store } = await stores();
      await store.append("t", messages("x0"));
      const again = (nth: number): ReturnType<typeof store.replaceSuffix> =>
        store.replaceSuffix("t", {
          from: `x${nth - 1}`,
          expectedVersion: "any",
          replacement: messages(`x${nth}`),
          operationId: `o${nth}`,
        });
      for (let nth = 1; nth <= 1001; nth += 1) await again(nth);
      expect(await again(2)).toEqual({ version: 5 });
      expect(await again(1001)).toEqual({ version: 2003 });
      expect(await codeOf(again(1))).toBe("NOT_FOUND");
      expect(await idsOf(store, "t")).toBe("x1001");
      expect((await store.append("t", messages("x0"))).duplicate).toBe(true);
    });
  });
  describeRacingOperations(stores);
}

function describeRacingOperations(stores: UseStores): void {
  describe("operations at once", () => {
    it("let one of several at one version win", async () => {
      const { store, another } = await stores();
      await store.append("t", messages("a", "b"));
      const handles = [store, await another(), await another()];
      const codes = await Promise.all(
        handles.map(async (handle, nth) =>
          codeOf(
            handle.replaceSuffix("t", {
              from: "b",
              expectedVersion: 2,
              replacement: messages(`c${nth}`),
              operationId: `o${nth}`,
            }),
          ),
        ),
      );
      expect(codes.filter((code) => code === undefined)).toHaveLength(1);
      expect(codes.filter((code) => code === "VERSION_CONFLICT")).toHaveLength(2);
      expect(await idsOf(store, "t")).toBe(`a c${codes.indexOf(undefined)}`);
      expect(await store.verify("t")).toEqual([]);
    });
  });
  describeOldKnowledge(stores);
}

function describeOldKnowledge(stores: UseStores): void {
  describe("replacements by another handle", () => {
    it("are there when a thread is opened again, after every handle was closed", async () => {
      const { store, another } = await stores();
      await store.append("t", messages("a", "b"));
      const edit = { from: "b", expectedVersion: 2, replacement: messages("c"), operationId: "o" };
      const first = await store.replaceSuffix("t", edit);
      const written = await store.read("t");
      await store.close();
      const opened = await another();
      expect(await opened.read("t")).toEqual(written);
      expect(await opened.replaceSuffix("t", edit)).toEqual(first);
      expect(await opened.append("t", messages("b"))).toEqual({ version: 4, duplicate: true });
      expect(await idsOf(opened, "t")).toBe("a c");
    });

    it("are noticed by a handle that knows a thread of the same length", async () => {
      const { store, another } = await stores();
      const second = await another();
      for (const threadId of ["t", "long"]) {
        await store.append(threadId, manyMessages("m", threadId === "t" ? 2 : 60));
        await second.append(threadId, messages("c"));
        await replace(store, "c", ["d"], threadId);
        const { version } = await second.append(threadId, messages("e"));
        const read = await store.read(threadId);
        expect([version, read.version - read.entryCount]).toEqual([read.version, 2]);
        expect(
          read.entries
            .slice(-3)
            .map(({ id }) => id)
            .slice(1),
        ).toEqual(["d", "e"]);
        expect(await store.verify(threadId)).toEqual([]);
      }
    });

    it("are worked on from by one whose knowledge is old", async () => {
      const { store, another } = await stores();
      const second = await another();
      await store.append("t", messages("a", "b"));
      await second.append("t", messages("c"));
      await replace(store, "b", ["d", "e"]);
      await second.append("t", messages("f"));
      await replace(second, "e", ["g"]);
      await store.append("t", messages("h"));
      expect(await idsOf(second, "t")).toBe("a d g h");
      expect(await idsOf(store, "t")).toBe("a d g h");
      expect(await store.verify("t")).toEqual([]);
    });
  });
}

function describeRewoundReaders(stores: UseStores): void {
  describe("a reader that follows a thread", () => {
    it("is told from where to read again, where its last entry was replaced", async () => {
      const { store } = await stores();
      await store.append("t", messages("a", "b", "c", "d"));
      await replace(store, "d", ["e"]);
      expect(await lastCommonOf(store, "d")).toBe("c");
      await store.append("t", messages("f"));
      await replace(store, "f", ["g", "h"]);
      await replace(store, "b", ["i"]);
      expect(
        await Promise.all(["c", "d", "e", "f", "h"].map((id) => lastCommonOf(store, id))),
      ).toEqual(["a", "a", "a", "a", "a"]);
      expect(await idsOf(store, "t", { clauses: [{}], after: "a" })).toBe("i");
      await replace(store, "a", []);
      expect(await lastCommonOf(store, "i")).toBe("none");
      expect(await codeOf(store.read("t", { query: { clauses: [{}], after: "never" } }))).toBe(
        "NOT_FOUND",
      );
    });

    it("reads on as before, where its last entry stays", async () => {
      const { store } = await stores();
      await store.append("t", messages("a", "b", "c"));
      await replace(store, "c", ["d"]);
      expect(await idsOf(store, "t", { clauses: [{}], after: "b" })).toBe("d");
      expect(await idsOf(store, "t", { ...allOf("thread"), before: "d" })).toBe("a b");
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
