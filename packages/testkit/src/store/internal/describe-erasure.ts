import type { HistoryEntry, HistoryStore } from "@agent-history/core";
import { final, isHistoryError, systemMessage, userMessage } from "@agent-history/core";
import { describe, expect } from "vitest";

import { allOf, codeOf, compact, idsOf, linesOf, messages, namesIn, replace } from "./ask-store.ts";
import type { StoreTest } from "./store-test.ts";

/** Data that must go: all of it, for good, and nothing else. */
export function describeErasure(it: StoreTest): void {
  describe("delete", () => {
    it("counts what it erases, also without erasing it, and refuses late writes on any handle", async ({
      store,
      another,
    }) => {
      await chatOfAda(store);
      const counts = { threads: 3, entries: 8, summaries: 2, states: 1 };
      const dry = await store.delete("ada", { includeForks: true, dryRun: true });
      expect(dry).toMatchObject({ erasure: "delete", dryRun: true, remains: [], ...counts });
      expect(await namesIn(store)).toEqual(["ada", "ada/x", "ada/x/y"]);
      const receipt = await store.delete("ada", { includeForks: true });
      expect(receipt).toMatchObject({ erasure: "delete", dryRun: false, ...counts });
      // A receipt may be kept: it names nobody.
      expect(JSON.stringify(receipt)).not.toContain("ada");
      const other = await another();
      for (const threadId of ["ada", "ada/x", "ada/x/y"]) {
        expect(await codeOf(other.append(threadId, messages("late")))).toBe("THREAD_DELETED");
        expect(await codeOf(store.read(threadId))).toBe("THREAD_DELETED");
      }
      expect(await namesIn(other)).toEqual([]);
      const again = await other.delete("ada", { includeForks: true });
      expect(again).toMatchObject({ threads: 0, entries: 0, summaries: 0, states: 0 });
    });

    it("lets a thread come back from an archive, under its name only if that is asked for", async ({
      store,
    }) => {
      await chatOfAda(store);
      const lines = await linesOf(store, "ada");
      await store.delete("ada", { includeForks: true });
      expect(await codeOf(store.importThread("ada", lines))).toBe("THREAD_DELETED");
      await store.importThread("other", lines);
      const back = await store.importThread("ada", lines, { afterDelete: true });
      expect(back).toEqual({ threads: 3, entries: 8, duplicate: false });
      expect(await linesOf(store, "ada")).toEqual(lines);
      expect((await store.append("ada", messages("more"))).duplicate).toBe(false);
    });
  });

  describe("eraseEntries", () => {
    it("leaves no turn of an erased entry where that was replaced", async ({ store }) => {
      const inTurn = (id: string, turnId: string): HistoryEntry =>
        userMessage({ id, turnId, createdAtMs: 0, content: id });
      await store.append("t", [inTurn("a", "one"), inTurn("b", "two"), inTurn("c", "three")]);
      await store.eraseEntries("t", ["c"]);
      await replace(store, "b", []);
      await store.append("t", [inTurn("d", "two"), inTurn("e", "three")]);
      expect(await store.verify("t")).toEqual([]);
    });

    it("leaves a thread sound, and its forks, where nothing but instructions stood before", async ({
      store,
    }) => {
      await store.append("t", [systemMessage({ id: "s", createdAtMs: 0, content: "Be kind." })]);
      await store.append("t", messages("a", "b"));
      await store.eraseEntries("t", ["s"]);
      expect(await store.verify("t")).toEqual([]);
      await store.fork("t", { at: "b", as: "x" });
      await replace(store, "b", ["c"]);
      for (const thread of ["t", "t/x"]) expect(await store.verify(thread)).toEqual([]);
    });

    it("erases entries with their copies, summaries and quotes, and reads the rest", async ({
      store,
      another,
    }) => {
      await chatOfAda(store);
      await store.setMetadata("ada", { title: "message a…" });
      await store.setState("ada", "other", { note: "nothing" }, { expectedRevision: 0 });
      await store.append("elsewhere", messages("a"));
      const before = await linesOf(store, "elsewhere");
      const counts = { threads: 3, entries: 3, summaries: 2, states: 1 };
      const dry = await store.eraseEntries("ada/x", ["a", "gone"], { dryRun: true });
      expect(dry).toMatchObject({ erasure: "eraseEntries", dryRun: true, ...counts });
      expect(await store.eraseEntries("ada/x", ["a", "gone"])).toMatchObject(counts);
      const other = await another();
      for (const [threadId, ids] of [
        ["ada", "b new"],
        ["ada/x", "b"],
        ["ada/x/y", "b d"],
      ] as const) {
        expect(await idsOf(other, threadId)).toBe(ids);
        expect(await idsOf(other, threadId, allOf("thread"))).toBe(ids);
        expect(JSON.stringify(await linesOf(other, threadId))).not.toContain("message a");
        expect(await other.verify(threadId)).toEqual([]);
        const late = await other.append(threadId, messages("a")).catch((error: unknown) => error);
        expect(isHistoryError(late, "ENTRY_ERASED") && late.details).toEqual({ entryId: "a" });
        expect(await codeOf(store.append(threadId, messages("b", "a")))).toBe("ENTRY_ERASED");
      }
      expect((await other.getMetadata("ada"))?.title).toBeUndefined();
      const { items } = await other.listState("ada");
      expect(items.map(({ key }) => key)).toEqual(["other"]);
      expect(await linesOf(other, "elsewhere")).toEqual(before);
      // The thread goes on, and so do its forks.
      await store.append("ada", messages("more"));
      await store.fork("ada", { at: "more", as: "later" });
      expect(await idsOf(store, "ada/later")).toBe("b new more");
      expect(await codeOf(store.append("ada/later", messages("a")))).toBe("ENTRY_ERASED");
      await compact(store, "ada", "z2", ["b", "new"], { viewRevision: 3 });
      expect(await idsOf(store, "ada", allOf("thread"))).toBe("z2 more");
      const again = await store.eraseEntries("ada/x", ["a", "gone"]);
      expect(again).toMatchObject({ threads: 0, entries: 0, summaries: 0, states: 0 });
    });

    it("refuses what it cannot do, and erases nothing of held threads", async ({ store }) => {
      await chatOfAda(store);
      await store.setMetadata("ada/x/y", { hold: "case 12" });
      expect(await codeOf(store.eraseEntries("ada", ["a"]))).toBe("THREAD_HELD");
      expect(await idsOf(store, "ada")).toBe("a b new");
      expect(await codeOf(store.eraseEntries("missing", ["a"]))).toBe("NOT_FOUND");
      expect(await codeOf(store.eraseEntries("ada", [""]))).toBe("INVALID_OPTION");
      const many = Array.from({ length: 501 }, (_, nth) => `${nth}`);
      expect(await codeOf(store.eraseEntries("ada", many))).toBe("TOO_LARGE");
    });
  });

  describe("eraseUser", () => {
    it("erases all threads of a user with their forks, and nothing of others", async ({
      store,
      another,
    }) => {
      await chatOfAda(store);
      await store.append("ada/notes", messages("n"));
      await store.setMetadata("second", { user: "ada" });
      for (const threadId of ["bob", "ada/of bob", "nobody"])
        await store.append(threadId, messages("a", "b"));
      for (const threadId of ["bob", "ada/of bob"])
        await store.setMetadata(threadId, { user: "bob", title: "Bob's" });
      // A copy is hers, whoever took it.
      await store.fork("ada", { at: "a", as: "copy" });
      await store.setMetadata("ada/copy", { user: "bob" });
      const others = ["ada/of bob", "bob", "nobody"];
      const before = await Promise.all(others.map((threadId) => linesOf(store, threadId)));
      const counts = { threads: 6, entries: 10, summaries: 2, states: 1 };
      const dry = await store.eraseUser("ada", { dryRun: true });
      expect(dry).toMatchObject({ erasure: "eraseUser", dryRun: true, ...counts });
      expect(await store.eraseUser("ada")).toMatchObject({ dryRun: false, ...counts });
      expect(await namesIn(store)).toEqual(others);
      expect(await namesIn(await another(), { user: "ada" })).toEqual([]);
      expect(await Promise.all(others.map((threadId) => linesOf(store, threadId)))).toEqual(before);
      expect(await store.eraseUser("ada")).toMatchObject({ threads: 0, entries: 0 });
      expect(await codeOf(store.eraseUser(""))).toBe("INVALID_OPTION");
    });

    it("erases nothing as long as one of the threads is held, and says by what", async ({
      store,
      another,
    }) => {
      await chatOfAda(store);
      await store.setMetadata("ada/x", { hold: "case 12" });
      expect((await store.getMetadata("ada/x"))?.hold).toBe("case 12");
      const other = await another();
      const erasures = [
        () => other.eraseUser("ada"),
        () => other.delete("ada", { includeForks: true }),
        () => other.delete("ada/x"),
      ];
      for (const erase of erasures) {
        const error: unknown = await erase().catch((one: unknown) => one);
        expect(isHistoryError(error, "THREAD_HELD") && error.details).toEqual({ hold: "case 12" });
      }
      expect(await store.sweep({ idleMs: 0 })).toMatchObject({ threads: 0 });
      expect(await namesIn(store)).toEqual(["ada", "ada/x", "ada/x/y"]);
      await store.setMetadata("ada/x", { hold: null });
      expect(await other.eraseUser("ada")).toMatchObject({ threads: 3 });
    });
  });

  describe("sweep", () => {
    it("erases what was left alone, families at once, after it was archived", async ({ store }) => {
      await chatOfAda(store);
      await store.append("b", messages("a"));
      const hour = { idleMs: 3_600_000 };
      expect(await store.sweep(hour)).toMatchObject({ erasure: "sweep", threads: 0 });
      const { threads } = await store.list();
      const last = threads.reduce((most, one) => Math.max(most, one.updatedAtMs), 0);
      expect(await namesIn(store, { idleSinceMs: last })).toHaveLength(4);
      expect(await namesIn(store, { idleSinceMs: 0 })).toEqual([]);
      const lines = await linesOf(store, "ada");
      expect(await store.sweep({ idleMs: 0, dryRun: true })).toMatchObject({ threads: 4 });
      const archive = new Map<string, string[]>();
      for (const left of [1, 0]) {
        await store.sweep({
          idleMs: 0,
          limit: 1,
          archive: async (threadId, text) => {
            const kept: string[] = [];
            archive.set(threadId, kept);
            for await (const line of text) kept.push(line);
          },
        });
        expect((await namesIn(store)).length > 0).toBe(left === 1);
      }
      expect(archive.get("ada")).toEqual(lines);
      expect([...archive.keys()].toSorted()).toEqual(["ada", "b"]);
      await store.append("c", messages("a"));
      const failing = { idleMs: 0, archive: async () => Promise.reject(new Error("full")) };
      await expect(store.sweep(failing)).rejects.toThrow("full");
      expect(await namesIn(store)).toEqual(["c"]);
      for (const idleMs of [-1, 0.5, Number.NaN])
        expect(await codeOf(store.sweep({ idleMs }))).toBe("INVALID_OPTION");
    });
  });

  describe("retention", () => {
    it("keeps the newest entries of each thread, whole turns, with instructions, memories and pins", async ({
      store,
      another,
    }) => {
      await store.append("t", [systemMessage({ id: "s", content: "Be brief." })]);
      for (const turn of [1, 2, 3, 4])
        await store.append("t", [
          userMessage({ id: `u${turn}`, content: "?", ...(turn === 1 && { pinned: true }) }),
          ...messages(`a${turn}`).map((entry) => ({ ...entry, turnId: `u${turn}` })),
          final({ id: `f${turn}`, agent: { id: "w", role: "worker" }, content: "" }),
        ]);
      await store.fork("t", { at: "f2", as: "x" });
      await store.append("short", messages("a", "b"));
      await store.append("held", messages("a", "b", "c", "d", "e", "f", "g", "h"));
      await store.setMetadata("held", { hold: "case 12" });
      const most = { maxEntries: 7 };
      const dry = await store.sweep({ ...most, dryRun: true });
      expect([dry.threads, dry.entries]).toEqual([2, 10]);
      expect(await store.sweep(most)).toMatchObject({ threads: 2, entries: 10 });
      const other = await another();
      expect(await idsOf(other, "t")).toBe("s u1 u3 a3 f3 u4 a4 f4");
      expect(await idsOf(other, "t/x")).toBe("s u1");
      expect(await idsOf(other, "held")).toBe("a b c d e f g h");
      const turns = { clauses: [{ lastTurns: { count: 2 } }] };
      expect(await idsOf(other, "t", turns)).toBe("u3 a3 f3 u4 a4 f4");
      expect(await codeOf(other.append("t", messages("a1")))).toBe("ENTRY_ERASED");
      expect(await other.verify("t")).toEqual([]);
      expect(await other.sweep(most)).toMatchObject({ threads: 0, entries: 0 });
      await other.sweep({ maxEntries: 0, keepPinned: false });
      expect([await idsOf(store, "t"), await idsOf(store, "short")]).toEqual(["s", ""]);
      await store.append("t", messages("more"));
      expect(await idsOf(other, "t")).toBe("s more");
      for (const wrong of [{}, { maxEntries: -1 }, { maxEntries: 0.5 }])
        expect(await codeOf(store.sweep(wrong))).toBe("INVALID_OPTION");
    });
  });
}

/** A thread of a user with a fork, and a fork of that: summaries, state, a replaced end. */
async function chatOfAda(store: HistoryStore): Promise<void> {
  await store.append("ada", messages("a", "b", "old"));
  await store.fork("ada", { at: "b", as: "x" });
  await compact(store, "ada", "z", ["a", "b"], { viewRevision: 0 });
  await store.fork("ada/x", { at: "b", as: "y" });
  await compact(store, "ada/x", "z", ["a", "b"], { viewRevision: 0 });
  await replace(store, "old", ["new"], "ada");
  await store.append("ada/x/y", messages("d"));
  await store.setState("ada", "plan", { ids: ["a"] }, { expectedRevision: 0 });
  await store.setMetadata("ada", { user: "ada", title: "Ada's" });
}
