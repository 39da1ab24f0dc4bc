import type { HistoryStore } from "@agent-history/core";
import { action, isHistoryError, observation, task } from "@agent-history/core";
import { describe, expect, it } from "vitest";

import {
  allOf,
  codeOf,
  compact,
  expectOneWinner,
  idsOf,
  manyMessages,
  messages,
  replace,
} from "./ask-store.ts";
import type { UseStores } from "./use-stores.ts";

/** Suffixes that are replaced: editing, regenerating, resetting. */
export function describeReplacements(stores: UseStores): void {
  describe("replaceSuffix", () => {
    it("puts other entries in place of the last ones, and the thread goes on behind them", async () => {
      const { store } = await stores();
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

    it("takes off an end, empties a thread, and fills it again", async () => {
      const { store } = await stores();
      await store.append("t", messages("a", "b", "c"));
      await replace(store, "c", []);
      expect(await idsOf(store, "t")).toBe("a b");
      await replace(store, "a", []);
      expect(await store.read("t")).toMatchObject({ version: 5, entryCount: 0, entries: [] });
      const first = store.append("t", messages("d"), { expectedVersion: 0 });
      expect(await codeOf(first)).toBe("VERSION_CONFLICT");
      await store.append("t", messages("d", "e"), { expectedVersion: 5 });
      await replace(store, "d", ["f", "d"]);
      expect(await idsOf(store, "t")).toBe("f d");
      expect(await store.verify("t")).toEqual([]);
    });

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
      for (const [change, code] of refused)
        expect(await codeOf(store.replaceSuffix("t", { ...sound, ...change }))).toBe(code);
      expect(await codeOf(store.replaceSuffix("missing", sound))).toBe("NOT_FOUND");
      expect(await store.read("t")).toMatchObject({
        version: 3,
        entries: messages("a", "b", "c"),
      });
    });
  });
  describeKnownIds(stores);
  describeOperations(stores);
  describeRewoundReaders(stores);
  describeReplacedViews(stores);
  describeReplacementsAtOnce(stores);
}

function describeKnownIds(stores: UseStores): void {
  describe("ids of what was replaced", () => {
    it("stay known: equal is a retry, anything else is refused", async () => {
      const { store, another } = await stores();
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

    it("lets a replacement use its ids again; a late retry of what stood there is one", async () => {
      const { store } = await stores();
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
}

function describeOperations(stores: UseStores): void {
  describe("operation ids", () => {
    it("answer the same operation as the first time, and refuse another content", async () => {
      const { store, another } = await stores();
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
}

async function lastCommonOf(store: HistoryStore, after: string): Promise<unknown> {
  const error: unknown = await store
    .read("t", { query: { clauses: [{}], after } })
    .catch((reason: unknown) => reason);
  if (!isHistoryError(error, "HISTORY_REWOUND")) throw error;
  return error.details["lastCommonId"] ?? "none";
}

function describeReplacedViews(stores: UseStores): void {
  describe("replaceSuffix and views", () => {
    it("takes the summaries that cover what goes, and raises the revision of every view", async () => {
      const { store } = await stores();
      await store.append("t", messages("a", "b", "c", "d", "e"));
      await compact(store, "t", "z1", ["a", "b"], { viewRevision: 0 });
      await compact(store, "t", "z2", ["d", "d"], { viewRevision: 1 });
      await compact(store, "t", "z3", ["c", "z2"], { viewRevision: 2 });
      await compact(store, "t", "y", ["b", "d"], { viewRevision: 0, view: "conversation" });
      await replace(store, "d", ["z3"]);
      const shown = {
        thread: [4, "z1 c z3"],
        conversation: [2, "a b c z3"],
        "agent:w": [1, "a b c z3"],
      };
      for (const view of ["thread", "conversation", "agent:w"] as const) {
        const { viewRevision, entries } = await store.read("t", { query: allOf(view) });
        expect([viewRevision, entries.map(({ id }) => id).join(" ")]).toEqual(shown[view]);
      }
      const again = { viewRevision: 3 };
      expect(await codeOf(compact(store, "t", "z2", ["c", "z3"], again))).toBe("VERSION_CONFLICT");
      expect(await compact(store, "t", "z2", ["c", "z3"], { viewRevision: 4 })).toEqual({
        viewRevision: 5,
      });
      expect(await idsOf(store, "t", allOf("thread"))).toBe("z1 z2");
      expect(await store.verify("t")).toEqual([]);
    });

    it("forgets calls, tasks and turns that went, and opens calls whose answers went", async () => {
      const { store } = await stores();
      const agent = { id: "w", role: "worker" } as const;
      const call = { id: "c1", name: "read", arguments: "{}" };
      const given = { createdAtMs: 0, content: "go", agent };
      const answer = { ...given, callId: "c1", toolName: "read", outcome: "success" } as const;
      await store.append("t", [
        ...messages("a"),
        task({ id: "t1", ...given }),
        action({ id: "call", createdAtMs: 0, toolCalls: [call], agent }),
        observation({ id: "o1", ...answer }),
        ...messages("b"),
        task({ id: "t2", ...given, turnId: "second" }),
      ]);
      await store.replaceSuffix("t", {
        from: "o1",
        expectedVersion: 6,
        operationId: "o",
        replacement: [observation({ id: "o2", ...answer })],
      });
      const own = { clauses: [{ agent: "w", lastTask: { of: "w" } }] };
      expect(await idsOf(store, "t", own)).toBe("t1 call o2");
      await store.append("t", [task({ id: "t3", ...given, turnId: "second" })]);
      expect(await idsOf(store, "t", own)).toBe("t3");
      expect(await store.verify("t")).toEqual([]);
    });
  });
}

function describeReplacementsAtOnce(stores: UseStores): void {
  describe("replacements by several handles", () => {
    it("let one of several at one version win", async () => {
      const { store, another } = await stores();
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

    it("are noticed by a handle whose knowledge is old, of a thread of the same length too", async () => {
      const { store, another } = await stores();
      const second = await another();
      await store.append("t", manyMessages("m", 60));
      await second.append("t", messages("c"));
      await replace(store, "c", ["d"]);
      const { version } = await second.append("t", messages("e"));
      await replace(store, "d", ["f", "g"]);
      await second.append("t", messages("h"));
      await replace(second, "g", ["i"]);
      await store.append("t", messages("j"));
      const { entries, ...read } = await store.read("t");
      expect([version, read.version]).toEqual([64, 71]);
      expect(entries.slice(60).map(({ id }) => id)).toEqual(["f", "i", "j"]);
      expect(await second.read("t")).toEqual({ entries, ...read });
      expect(await store.verify("t")).toEqual([]);
    });

    it("show a reader one state, while suffixes are replaced, and forks begin", async () => {
      const { store, another } = await stores();
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
