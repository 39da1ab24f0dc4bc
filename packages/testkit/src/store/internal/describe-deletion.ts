import type { HistoryStore } from "@agent-history/core";
import { describe, expect, it } from "vitest";

import { codeOf, compact, idsOf, listed, messages } from "./ask-store.ts";
import type { UseStores } from "./use-stores.ts";

/** A thread that was deleted stays deleted. */
export function describeDeletion(stores: UseStores): void {
  describe("delete", () => {
    it("leaves a tombstone that every verb meets, on every handle", async () => {
      const { store, another } = await stores();
      await store.append("t", messages("a", "b"));
      await store.setState("t", "key", 1, { expectedRevision: 0 });
      await compact(store, "t", "z", ["a", "a"], { viewRevision: 0 });
      await store.delete("t");
      for (const handle of [store, await another()]) await expectDeleted(handle, "t");
      expect(await listed(store)).toEqual([]);
    });

    it("does not let a late retry bring the thread back", async () => {
      const { store, another } = await stores();
      const late = await another();
      await store.append("t", messages("a"), { expectedVersion: "none" });
      await late.append("t", messages("b"));
      await store.delete("t");
      for (const expectedVersion of ["none", "exists", "any", 0, 1, 2] as const) {
        const retry = late.append("t", messages("b"), { expectedVersion });
        expect(await codeOf(retry)).toBe("THREAD_DELETED");
      }
      expect(await codeOf(late.append("t", []))).toBe("THREAD_DELETED");
      expect(await listed(late)).toEqual([]);
    });

    it("is fine twice, and of a thread that never was", async () => {
      const { store } = await stores();
      await store.append("t", messages("a"));
      await store.delete("t");
      await store.delete("t");
      await store.delete("never");
      await expectDeleted(store, "never");
    });

    it("takes the thread alone: others and forks live on", async () => {
      const { store } = await stores();
      await store.append("t", messages("a", "b"));
      await store.append("tt", messages("c"));
      await store.append("t/x", messages("d"));
      const { threadId } = await store.fork("t", { at: "a", as: "fork" });
      await store.delete("t");
      expect(await idsOf(store, threadId)).toBe("a");
      await store.append(threadId, messages("e"));
      expect(await idsOf(store, threadId)).toBe("a e");
      expect(await store.verify(threadId)).toEqual([]);
      expect((await listed(store)).toSorted()).toEqual(["t/fork", "t/x", "tt"]);
    });
  });
  describeDeletionRace(stores);
}

function describeDeletionRace(stores: UseStores): void {
  describe("delete beside writers", () => {
    it("ends every writer, and nothing of the thread is left", async () => {
      const { store, another } = await stores();
      const handles = [store, await another()];
      const writes = Array.from({ length: 30 }, (_, index) => {
        const handle = handles[index % 2] ?? store;
        return index === 15
          ? codeOf(handle.delete("t"))
          : codeOf(handle.append("t", messages(`m${index}`)));
      });
      for (const code of await Promise.all(writes)) {
        expect([undefined, "THREAD_DELETED"]).toContain(code);
      }
      for (const handle of handles) await expectDeleted(handle, "t");
      expect(await listed(store)).toEqual([]);
    });

    it("frees the place of a fork for none", async () => {
      const { store } = await stores();
      await store.append("t", messages("a"));
      await store.fork("t", { at: "a", as: "x" });
      await store.delete("t/x");
      expect(await codeOf(store.fork("t", { at: "a", as: "x" }))).toBe("THREAD_DELETED");
      expect(await idsOf(store, "t")).toBe("a");
    });
  });
}

async function expectDeleted(store: HistoryStore, threadId: string): Promise<void> {
  const verbs: readonly (() => Promise<unknown>)[] = [
    () => store.append(threadId, messages("a")),
    () => store.read(threadId),
    () => compact(store, threadId, "z", ["a", "a"], { viewRevision: 0 }),
    () => store.expand(threadId, "z"),
    () => store.getState(threadId, "key"),
    () => store.setState(threadId, "key", 1, { expectedRevision: 0 }),
    () => store.fork(threadId, { at: "a", as: "x" }),
    () => store.listSummaries(threadId),
    () => store.verify(threadId),
  ];
  for (const verb of verbs) expect(await codeOf(verb())).toBe("THREAD_DELETED");
}
