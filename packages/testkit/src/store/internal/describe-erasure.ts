import type { HistoryEntry, HistoryStore } from "@agent-history/core";
import { isHistoryError, systemMessage, userMessage } from "@agent-history/core";
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
      expect(await namesIn(store)).toEqual(["ada", "ada/x", "ada/x/y"]);
      await store.setMetadata("ada/x", { hold: null });
      expect(await other.eraseUser("ada")).toMatchObject({ threads: 3 });
    });
  });

  describe("retention", () => {
    it("is a list of what was left alone, each archived and deleted", async ({ store }) => {
      await chatOfAda(store);
      await store.append("b", messages("a"));
      const { threads } = await store.list();
      const idleSinceMs = threads.reduce((most, one) => Math.max(most, one.updatedAtMs), 0);
      expect(await namesIn(store, { idleSinceMs: 0 })).toEqual([]);
      const archive = new Map<string, readonly string[]>();
      for (const threadId of await namesIn(store, { idleSinceMs })) {
        archive.set(threadId, await linesOf(store, threadId));
        await store.delete(threadId);
      }
      expect([...archive.keys()]).toEqual(["ada", "ada/x", "ada/x/y", "b"]);
      expect(await namesIn(store)).toEqual([]);
      await store.importThread("ada/x", archive.get("ada/x") ?? [], { afterDelete: true });
      expect(await linesOf(store, "ada/x")).toHaveLength(archive.get("ada/x")?.length ?? 0);
    });

    it("lets nobody begin a thread that is deleted meanwhile", async ({ store, another }) => {
      const other = await another();
      for (let nth = 0; nth < 20; nth += 1) {
        const name = `race ${nth}`;
        const [begun] = await Promise.all([
          codeOf(other.append(name, messages("a"))),
          store.delete(name),
        ]);
        expect([undefined, "THREAD_DELETED"]).toContain(begun);
        expect(await codeOf(other.append(name, messages("b")))).toBe("THREAD_DELETED");
      }
      expect(await namesIn(store)).toEqual([]);
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
