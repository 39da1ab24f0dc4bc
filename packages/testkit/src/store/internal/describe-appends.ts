import type { ExpectedVersion, HistoryEntry } from "@agent-history/core";
import { isHistoryError, summary, userMessage } from "@agent-history/core";
import { describe, expect } from "vitest";

import { allOf, codeOf, compact, idsOf, manyMessages, messages, namesIn } from "./ask-store.ts";
import type { StoreTest } from "./store-test.ts";

/** What append does with one batch after another. */
export function describeAppends(it: StoreTest): void {
  describe("append", () => {
    it("keeps what is appended, in order, thread by thread, and says the version", async ({
      store,
    }) => {
      expect(await store.append("t", messages("a", "b"))).toEqual({ version: 2, duplicate: false });
      expect(await store.append("t", messages("c"))).toEqual({ version: 3, duplicate: false });
      expect((await store.append("other", messages("a"))).duplicate).toBe(false);
      expect(await store.read("t")).toEqual({
        entries: messages("a", "b", "c"),
        tokens: new Map(),
        problems: [],
        version: 3,
        entryCount: 3,
        viewRevision: 0,
      });
    });

    it("writes nothing for an empty batch, and creates no thread", async ({ store }) => {
      expect(await store.append("t", [])).toEqual({ version: 0, duplicate: false });
      expect(await namesIn(store)).toEqual([]);
      expect(await store.read("t", { query: allOf("thread") })).toMatchObject({
        entries: [],
        version: 0,
      });
      await store.append("t", messages("a"), { expectedVersion: "none" });
      expect(await store.append("t", [])).toEqual({ version: 1, duplicate: false });
    });

    it("copies what goes in and comes out (L8), with 0 for the -0 that JSON cannot write", async ({
      store,
    }) => {
      const metadata = { key: "before", zero: -0 };
      await store.append("t", [userMessage({ id: "a", content: "", createdAtMs: 0, metadata })]);
      metadata.key = "after";
      const [first, second] = [await store.read("t"), await store.read("t")];
      expect(first.entries[0]?.metadata).toEqual({ key: "before", zero: 0 });
      expect(second.entries[0]).not.toBe(first.entries[0]);
    });
  });

  describe("token counts", () => {
    it("are refused where they are not one for each entry", async ({ store }) => {
      for (const counts of [[1], [1, 2, 3], [1, -1], [1, Number.NaN], [1, Infinity]]) {
        const work = store.append("t", messages("a", "b"), { tokens: new Map([["n", counts]]) });
        expect(await codeOf(work)).toBe("INVALID_OPTION");
      }
      expect(await namesIn(store)).toEqual([]);
    });
  });

  describe("expectedVersion", () => {
    it("takes or refuses a first batch, and one at version 2", async ({ store }) => {
      const expectations: readonly (readonly [ExpectedVersion, boolean, boolean])[] = [
        ["any", true, true],
        ["none", true, false],
        ["exists", false, true],
        [0, true, false],
        [1, false, false],
        [2, false, true],
        [3, false, false],
      ];
      for (const [expectedVersion, ...taken] of expectations) {
        await store.append(`filled ${expectedVersion}`, messages("a", "b"));
        for (const [nth, before] of ["", "a b"].entries()) {
          const threadId = `${["empty", "filled"][nth]} ${expectedVersion}`;
          const code = taken[nth] === true ? undefined : "VERSION_CONFLICT";
          for (const batch of [[], messages("c")])
            expect(await codeOf(store.append(threadId, batch, { expectedVersion }))).toBe(code);
          const after = code === undefined ? `${before} c`.trim() : before;
          expect(await idsOf(store, threadId)).toBe(after);
        }
      }
    });

    it("says what was expected and what is there", async ({ store }) => {
      await store.append("t", messages("a", "b"));
      await expect(store.append("t", messages("c"), { expectedVersion: 1 })).rejects.toMatchObject({
        code: "VERSION_CONFLICT",
        details: { expected: 1, actual: 2 },
      });
    });
  });

  describe("entry ids", () => {
    it("make a retry a success that writes nothing, whatever the order of keys", async ({
      store,
    }) => {
      const metadata = { x: 1, y: { p: [1, -0], q: null } };
      const given: HistoryEntry = userMessage({ id: "k", content: "", createdAtMs: 5, metadata });
      await store.append("t", [...messages("a", "b", "c"), given]);
      await store.append("t", messages("d"));
      const turned: HistoryEntry = {
        metadata: { y: { q: null, p: [1, 0] }, x: 1 },
        createdAtMs: 5,
        content: "",
        id: "k",
        type: "user_message",
      };
      for (const batch of [messages("a", "b", "c"), messages("c", "a"), messages("d"), [turned]])
        expect(await store.append("t", batch)).toEqual({ version: 5, duplicate: true });
      expect(await idsOf(store, "t")).toBe("a b c k d");
    });

    it("are refused for another entry, and the first stays", async ({ store }) => {
      const [a] = messages("a");
      if (a?.type !== "user_message") throw new Error("a message");
      await store.append("t", [a]);
      const altered: readonly HistoryEntry[] = [
        { ...a, content: "else" },
        { ...a, content: [{ type: "text", text: "message a" }] },
        { ...a, createdAtMs: 1001 },
        { ...a, pinned: false },
        { ...a, metadata: {} },
        { ...a, type: "assistant_message" },
      ];
      for (const entry of altered)
        for (const batch of [[entry], [...messages("b"), entry]])
          expect(await codeOf(store.append("t", batch))).toBe("DUPLICATE_ID");
      expect((await store.read("t")).entries).toEqual([a]);
    });

    it("are refused where a batch is known in part, or names one twice", async ({ store }) => {
      await store.append("t", messages("a", "b"));
      for (const batch of [
        messages("b", "c"),
        messages("c", "a"),
        messages("c", "c"),
        messages("a", "a"),
        [...manyMessages("m", 300), ...messages("m0")],
      ])
        expect(await codeOf(store.append("t", batch))).toBe("DUPLICATE_ID");
      expect(await idsOf(store, "t")).toBe("a b");
    });

    it("are one name space with summaries, which only a compaction lets into a view", async ({
      store,
    }) => {
      const fields = { content: "", strategy: "whole", trust: "user", createdAtMs: 0 } as const;
      const overlay = summary({ id: "y", ...fields, view: "thread" });
      expect(await codeOf(store.append("t", [...messages("a"), overlay]))).toBe("INVALID_ENTRY");
      await store.append("t", [...messages("a", "b"), summary({ id: "y", ...fields })]);
      await compact(store, "t", "z", ["a", "a"], { viewRevision: 0 });
      expect(await codeOf(store.append("t", messages("z")))).toBe("DUPLICATE_ID");
      for (const id of ["b", "y"]) {
        const taken: unknown = await compact(store, "t", id, ["b", "b"], {
          viewRevision: 1,
        }).catch((error: unknown) => error);
        expect(isHistoryError(taken, "DUPLICATE_ID")).toBe(true);
      }
      expect(await idsOf(store, "t")).toBe("a b y");
    });
  });
}
