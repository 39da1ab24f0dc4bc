import type { HistoryView } from "@agent-history/core";
import { systemMessage, task, userMessage } from "@agent-history/core";
import { describe, expect, it } from "vitest";

import { allOf, codeOf, compact, idsOf, listed, messages } from "./ask-store.ts";
import type { UseStores } from "./use-stores.ts";

/** Summaries replace what they cover, in one view. */
export function describeCompactions(stores: UseStores): void {
  describe("commitCompaction", () => {
    it("shows the summary in its view alone; the log stays as it was", async () => {
      const { store } = await stores();
      await store.append("t", messages("a", "b", "c"));
      expect(await compact(store, "t", "z", ["a", "b"], { viewRevision: 0 })).toEqual({
        viewRevision: 1,
      });
      expect(await idsOf(store, "t", allOf("thread"))).toBe("z c");
      const [shown] = (await store.read("t", { query: allOf("thread") })).entries;
      expect(shown).toMatchObject({
        view: "thread",
        covers: [{ from: "a", to: "b" }],
        content: "summary z",
      });
      expect(await idsOf(store, "t")).toBe("a b c");
      expect(await idsOf(store, "t", allOf("conversation"))).toBe("a b c");
      const originals = await store.read("t", { query: allOf("thread"), originals: true });
      expect(originals.entries).toEqual(messages("a", "b", "c"));
    });

    it("keeps system messages and pinned entries within a run", async () => {
      const { store } = await stores();
      const fields = { content: "", createdAtMs: 0 };
      const [a, b] = messages("a", "b");
      if (a === undefined || b === undefined) throw new Error("two messages");
      const system = systemMessage({ id: "s", ...fields });
      const pinned = userMessage({ id: "p", pinned: true, ...fields });
      await store.append("t", [system, a, pinned, b]);
      await compact(store, "t", "z", ["s", "b"], { viewRevision: 0 });
      expect(await idsOf(store, "t", allOf("thread"))).toBe("s z p");
    });

    it("takes several runs, and what came since stays", async () => {
      const { store } = await stores();
      await store.append("t", messages("a", "b", "c", "d", "e"));
      const covers = [
        { from: "a", to: "b" },
        { from: "d", to: "d" },
      ];
      await commit(store, covers, 0);
      await store.append("t", messages("f"));
      expect(await idsOf(store, "t", allOf("thread"))).toBe("z c e f");
    });
  });
  describeRefusedCompactions(stores);
  describeViewRevisions(stores);
  describeCommitRetries(stores);
}

function describeRefusedCompactions(stores: UseStores): void {
  describe("commitCompaction refused", () => {
    it("refuses what the view does not show, and leaves everything as it was (L11)", async () => {
      const { store } = await stores();
      await store.append("t", messages("a", "b", "c", "d"));
      await compact(store, "t", "y", ["b", "c"], { viewRevision: 0 });
      const run = (from: string, to: string) => ({ from, to });
      const refused = [
        [],
        [run("b", "b")],
        [run("a", "c")],
        [run("gone", "d")],
        [run("a", "gone")],
        [run("d", "a")],
        [run("d", "d"), run("a", "a")],
        [run("a", "a"), run("a", "d")],
      ];
      for (const covers of refused) {
        expect(await codeOf(commit(store, covers, 1))).toBe("NOT_FOUND");
      }
      const { entries, viewRevision } = await store.read("t", { query: allOf("thread") });
      expect([entries.map(({ id }) => id).join(" "), viewRevision]).toEqual(["a y d", 1]);
    });

    it("needs a thread", async () => {
      const { store } = await stores();
      const work = compact(store, "missing", "z", ["a", "a"], { viewRevision: 0 });
      expect(await codeOf(work)).toBe("NOT_FOUND");
      expect(await codeOf(store.expand("missing", "z"))).toBe("NOT_FOUND");
      expect(await listed(store)).toEqual([]);
    });
  });
}

type Store = Awaited<ReturnType<UseStores>>["store"];

function commit(
  store: Store,
  covers: readonly { readonly from: string; readonly to: string }[],
  expectedViewRevision: number,
): Promise<unknown> {
  const fields = { content: "", strategy: "s", trust: "user", createdAtMs: 0 } as const;
  const summary = { type: "summary", id: "z", ...fields } as const;
  return store.commitCompaction("t", { view: "thread", summary, covers, expectedViewRevision });
}

function describeViewRevisions(stores: UseStores): void {
  describe("revisions", () => {
    it("are each view's own", async () => {
      const { store } = await stores();
      const fields = { content: "", createdAtMs: 0, agent: { id: "w", role: "worker" } } as const;
      await store.append("t", [...messages("a", "b"), task({ id: "k", ...fields })]);
      await compact(store, "t", "z1", ["a", "b"], { view: "conversation", viewRevision: 0 });
      await compact(store, "t", "z2", ["k", "k"], { view: "agent:w", viewRevision: 0 });
      await compact(store, "t", "z3", ["a", "a"], { view: "thread", viewRevision: 0 });
      await compact(store, "t", "z4", ["b", "k"], { view: "thread", viewRevision: 1 });
      const views: readonly HistoryView[] = ["conversation", "agent:w", "thread", "agent:none"];
      const reads = [];
      for (const view of views) reads.push(await store.read("t", { query: allOf(view) }));
      expect(reads.map(({ viewRevision }) => viewRevision)).toEqual([1, 1, 2, 0]);
      expect(reads.map(({ entries }) => entries.map(({ id }) => id).join(" "))).toEqual([
        "z1 k",
        "a b z2",
        "z3 z4",
        "a b k",
      ]);
      expect((await store.read("t")).viewRevision).toBe(0);
    });

    it("refuse a commit to a view that moved on", async () => {
      const { store } = await stores();
      await store.append("t", messages("a", "b", "c"));
      expect(await codeOf(compact(store, "t", "z", ["a", "a"], { viewRevision: 1 }))).toBe(
        "VERSION_CONFLICT",
      );
      await compact(store, "t", "z1", ["a", "a"], { viewRevision: 0 });
      await store.expand("t", "z1");
      for (const viewRevision of [0, 1, 3]) {
        const stale = compact(store, "t", "z2", ["b", "b"], { viewRevision });
        expect(await codeOf(stale)).toBe("VERSION_CONFLICT");
      }
      expect(await compact(store, "t", "z2", ["b", "b"], { viewRevision: 2 })).toEqual({
        viewRevision: 3,
      });
    });
  });
}

function describeCommitRetries(stores: UseStores): void {
  describe("a retried commit", () => {
    it("is a success, with the old revision too, and changes nothing", async () => {
      const { store, another } = await stores();
      await store.append("t", messages("a", "b", "c", "d"));
      await compact(store, "t", "z1", ["a", "b"], { viewRevision: 0 });
      await compact(store, "t", "z2", ["c", "c"], { viewRevision: 1 });
      for (const handle of [store, await another()]) {
        for (const viewRevision of [0, 1, 2]) {
          const again = await compact(handle, "t", "z1", ["a", "b"], { viewRevision });
          expect(again).toEqual({ viewRevision: 2 });
        }
      }
      expect(await idsOf(store, "t", allOf("thread"))).toBe("z1 z2 d");
    });

    it("is a success where a later layer covers the summary", async () => {
      const { store } = await stores();
      await store.append("t", messages("a", "b", "c"));
      await compact(store, "t", "z1", ["a", "b"], { viewRevision: 0 });
      await compact(store, "t", "z2", ["z1", "c"], { viewRevision: 1 });
      expect(await compact(store, "t", "z1", ["a", "b"], { viewRevision: 0 })).toEqual({
        viewRevision: 2,
      });
      expect(await idsOf(store, "t", allOf("thread"))).toBe("z2");
    });

    it("is refused with other content, other covers or another view", async () => {
      const { store } = await stores();
      await store.append("t", messages("a", "b"));
      await commit(store, [{ from: "a", to: "a" }], 0);
      const other = { viewRevision: 1 };
      expect(await codeOf(compact(store, "t", "z", ["a", "a"], other))).toBe("DUPLICATE_ID");
      const wider = commit(store, [{ from: "a", to: "b" }], 0);
      expect(await codeOf(wider)).toBe("DUPLICATE_ID");
      const moved = compact(store, "t", "z", ["a", "a"], { view: "conversation", viewRevision: 0 });
      expect(await codeOf(moved)).toBe("DUPLICATE_ID");
      expect(await idsOf(store, "t", allOf("thread"))).toBe("z b");
    });

    it("does not bring back what was expanded since, unless it knows of that", async () => {
      const { store } = await stores();
      await store.append("t", messages("a", "b"));
      await compact(store, "t", "z", ["a", "b"], { viewRevision: 0 });
      await store.expand("t", "z");
      const late = compact(store, "t", "z", ["a", "b"], { viewRevision: 0 });
      expect(await codeOf(late)).toBe("VERSION_CONFLICT");
      expect(await idsOf(store, "t", allOf("thread"))).toBe("a b");
      expect(await compact(store, "t", "z", ["a", "b"], { viewRevision: 2 })).toEqual({
        viewRevision: 3,
      });
    });
  });
}
