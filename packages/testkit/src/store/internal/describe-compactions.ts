import type { EntryRun, HistoryStore, HistoryView } from "@agent-history/core";
import { systemMessage, task, userMessage } from "@agent-history/core";
import { describe, expect } from "vitest";

import { allOf, codeOf, compact, idsOf, messages, namesIn } from "./ask-store.ts";
import type { StoreTest } from "./store-test.ts";

/** Summaries replace what they cover, in one view, and give it back. */
export function describeCompactions(it: StoreTest): void {
  describe("commitCompaction", () => {
    it("takes several runs, keeps system messages and pinned entries, and what came since", async ({
      store,
    }) => {
      const fields = { content: "", createdAtMs: 0 };
      await store.append("t", [
        systemMessage({ id: "s", ...fields }),
        ...messages("a"),
        userMessage({ id: "p", pinned: true, ...fields }),
        ...messages("b", "c", "d"),
      ]);
      for (const covers of [[run("s", "b")], [run("a", "p")]])
        expect(await codeOf(commit(store, covers, 0))).toBe("NOT_FOUND");
      await commit(store, [run("a", "b"), run("d", "d")], 0);
      await store.append("t", messages("e"));
      expect(await idsOf(store, "t", allOf("thread"))).toBe("s z p c e");
    });

    it("refuses what the view does not show, and leaves everything as it was (L11)", async ({
      store,
    }) => {
      await store.append("t", messages("a", "b", "c", "d"));
      await compact(store, "t", "y", ["b", "c"], { viewRevision: 0 });
      for (const covers of [
        [],
        [run("b", "b")],
        [run("a", "c")],
        [run("gone", "d")],
        [run("a", "gone")],
        [run("d", "a")],
        [run("d", "d"), run("a", "a")],
        [run("a", "a"), run("a", "d")],
      ])
        expect(await codeOf(commit(store, covers, 1))).toBe("NOT_FOUND");
      expect(await idsOf(store, "t", allOf("thread"))).toBe("a y d");
      const missing = compact(store, "missing", "z", ["a", "a"], { viewRevision: 0 });
      expect(await codeOf(missing)).toBe("NOT_FOUND");
      expect(await codeOf(store.expand("missing", "z"))).toBe("NOT_FOUND");
      for (const id of ["gone", "a", "__proto__"])
        expect(await codeOf(store.expand("t", id))).toBe("NOT_FOUND");
      expect(await namesIn(store)).toEqual(["t"]);
    });

    it("raises the revision of its view alone, and refuses one that the view does not have", async ({
      store,
    }) => {
      const fields = { content: "", createdAtMs: 0, agent: { id: "w", role: "worker" } } as const;
      await store.append("t", [...messages("a", "b"), task({ id: "k", ...fields })]);
      await compact(store, "t", "z1", ["a", "b"], { view: "conversation", viewRevision: 0 });
      await compact(store, "t", "z2", ["k", "k"], { view: "agent:w", viewRevision: 0 });
      await compact(store, "t", "z3", ["a", "a"], { viewRevision: 0 });
      for (const viewRevision of [0, 2]) {
        const stale = compact(store, "t", "z4", ["b", "k"], { viewRevision });
        expect(await codeOf(stale)).toBe("VERSION_CONFLICT");
      }
      await compact(store, "t", "z4", ["b", "k"], { viewRevision: 1 });
      const shown: Readonly<Record<HistoryView, readonly [number, string]>> = {
        conversation: [1, "z1 k"],
        "agent:w": [1, "a b z2"],
        thread: [2, "z3 z4"],
        "agent:none": [0, "a b k"],
      };
      for (const view of ["conversation", "agent:w", "thread", "agent:none"] as const) {
        const { viewRevision, entries } = await store.read("t", { query: allOf(view) });
        expect([viewRevision, entries.map(({ id }) => id).join(" ")]).toEqual(shown[view]);
      }
      expect((await store.read("t")).viewRevision).toBe(0);
    });
  });

  describe("a retried commit", () => {
    it("is a success, whatever revision it expects and whatever covers it since", async ({
      store,
      another,
    }) => {
      await store.append("t", messages("a", "b", "c", "d"));
      await compact(store, "t", "z1", ["a", "b"], { viewRevision: 0 });
      await compact(store, "t", "z2", ["z1", "c"], { viewRevision: 1 });
      for (const handle of [store, await another()])
        for (const viewRevision of [0, 1, 2]) {
          const again = await compact(handle, "t", "z1", ["a", "b"], { viewRevision });
          expect(again).toEqual({ viewRevision: 2 });
        }
      expect(await idsOf(store, "t", allOf("thread"))).toBe("z2 d");
    });

    it("is refused with other content, other covers or another view", async ({ store }) => {
      await store.append("t", messages("a", "b"));
      await commit(store, [run("a", "a")], 0);
      for (const other of [
        compact(store, "t", "z", ["a", "a"], { viewRevision: 1 }),
        commit(store, [run("a", "b")], 0),
        compact(store, "t", "z", ["a", "a"], { view: "conversation", viewRevision: 0 }),
      ])
        expect(await codeOf(other)).toBe("DUPLICATE_ID");
      expect(await idsOf(store, "t", allOf("thread"))).toBe("z b");
    });

    it("does not bring back what was expanded since, unless it knows of that", async ({
      store,
    }) => {
      await store.append("t", messages("a", "b"));
      await compact(store, "t", "z", ["a", "b"], { viewRevision: 0 });
      await store.expand("t", "z");
      const late = compact(store, "t", "z", ["a", "b"], { viewRevision: 0 });
      expect(await codeOf(late)).toBe("VERSION_CONFLICT");
      expect(await idsOf(store, "t", allOf("thread"))).toBe("a b");
      const again = await compact(store, "t", "z", ["a", "b"], { viewRevision: 2 });
      expect(again).toEqual({ viewRevision: 3 });
    });
  });
}

function run(from: string, to: string): EntryRun {
  return { from, to };
}

function commit(
  store: HistoryStore,
  covers: readonly EntryRun[],
  expectedViewRevision: number,
): Promise<unknown> {
  const fields = { content: "", strategy: "s", trust: "user", createdAtMs: 0 } as const;
  const summary = { type: "summary", id: "z", ...fields } as const;
  return store.commitCompaction("t", { view: "thread", summary, covers, expectedViewRevision });
}
