import type { HistoryStore, MetadataChange, ThreadMetadata } from "@agent-history/core";
import { describe, expect, it } from "vitest";

import { codeOf, idsOf, messages } from "./ask-store.ts";
import { ODD_NAMES } from "./odd-names.ts";
import type { UseStores } from "./use-stores.ts";

const NOBODYS: MetadataChange = { title: null, user: null, tags: [] };

/** What a list shows of threads, and whose they are. */
export function describeMetadata(stores: UseStores): void {
  describeChanges(stores);
  describeChangedFields(stores);
  describeTexts(stores);
  describeForkedMetadata(stores);
  describeNewestFirst(stores);
}

function describeChanges(stores: UseStores): void {
  describe("metadata", () => {
    it("says of a thread when it began, when its log or metadata changed, and how long that is", async () => {
      const { store, another } = await stores();
      expect(await store.getMetadata("t")).toBeUndefined();
      await store.append("t", messages("a", "b"));
      const first = await known(store, "t");
      expect(first).toEqual({
        threadId: "t",
        tags: [],
        createdAtMs: expect.any(Number),
        updatedAtMs: first.createdAtMs,
        entryCount: 2,
      });
      expect(Math.abs(first.createdAtMs - Date.now())).toBeLessThan(3_600_000);
      await laterThan(first.updatedAtMs);
      await store.setState("t", "key", 1, { expectedRevision: 0 });
      await store.setMetadata("t", { title: "Planets" });
      await store.append("t", messages("b"));
      const titled = await known(store, "t");
      expect(titled).toEqual({ ...first, title: "Planets", updatedAtMs: expect.any(Number) });
      expect(titled.updatedAtMs).toBeGreaterThan(first.updatedAtMs);
      await store.append("t", messages("c"));
      const second = await known(await another(), "t");
      expect(second.updatedAtMs).toBeGreaterThan(first.updatedAtMs);
      expect(second).toMatchObject({ createdAtMs: first.createdAtMs, entryCount: 3 });
      await laterThan(second.updatedAtMs);
      const replacement = { expectedVersion: "any", replacement: [], operationId: "o" } as const;
      await store.replaceSuffix("t", { from: "b", ...replacement });
      const third = await known(store, "t");
      expect(third.updatedAtMs).toBeGreaterThan(second.updatedAtMs);
      expect(third.entryCount).toBe(1);
    });
  });
}

function describeChangedFields(stores: UseStores): void {
  describe("a change of metadata", () => {
    it("changes what is given and leaves the rest, for all handles at once", async () => {
      const { store, another } = await stores();
      const other = await another();
      const made = await store.setMetadata("t", {
        title: "Planets",
        user: "ada",
        tags: ["x", "y"],
      });
      expect(made).toEqual({
        threadId: "t",
        title: "Planets",
        user: "ada",
        tags: ["x", "y"],
        createdAtMs: expect.any(Number),
        updatedAtMs: made.createdAtMs,
        entryCount: 0,
      });
      const titles = Promise.all([
        store.setMetadata("t", { title: "Moons" }),
        other.setMetadata("t", { tags: ["z"] }),
        other.setMetadata("t", { user: undefined }),
      ]);
      await titles;
      const { updatedAtMs } = await known(other, "t");
      expect(updatedAtMs).toBeGreaterThanOrEqual(made.updatedAtMs);
      expect(await known(other, "t")).toEqual({
        ...made,
        title: "Moons",
        tags: ["z"],
        updatedAtMs,
      });
      expect(await store.setMetadata("t", NOBODYS)).toEqual({
        threadId: "t",
        tags: [],
        createdAtMs: made.createdAtMs,
        updatedAtMs: expect.any(Number),
        entryCount: 0,
      });
      expect(await store.append("t", messages("a"), { expectedVersion: 0 })).toMatchObject({
        version: 1,
      });
      expect(await idsOf(store, "t")).toBe("a");
    });
  });
}

function describeTexts(stores: UseStores): void {
  describe("metadata of any text", () => {
    it("keeps every text to the last code unit", async () => {
      const { store } = await stores();
      for (const [nth, text] of ODD_NAMES.entries()) {
        const user = text.slice(0, 200);
        const about = { title: text, user, tags: [user, "x"] };
        await store.setMetadata(`t${nth}`, about);
        expect(await known(store, `t${nth}`)).toMatchObject(about);
        const { threads } = await store.list({ user });
        expect(threads.map(({ threadId }) => threadId)).toEqual([`t${nth}`]);
      }
      await store.setMetadata("t", { title: "" });
      expect((await known(store, "t")).title).toBe("");
    });

    it("refuses what is none, and writes nothing", async () => {
      const { store } = await stores();
      const wrong: readonly (readonly [change: unknown, code: string])[] = [
        [{ title: 1 }, "INVALID_OPTION"],
        [{ user: "" }, "INVALID_OPTION"],
        [{ tags: "x" }, "INVALID_OPTION"],
        [{ tags: [""] }, "INVALID_OPTION"],
        [{ tags: [null] }, "INVALID_OPTION"],
        [null, "INVALID_OPTION"],
        [{ title: "x".repeat(2001) }, "TOO_LARGE"],
        [{ user: "x".repeat(201) }, "TOO_LARGE"],
        [{ tags: ["x".repeat(201)] }, "TOO_LARGE"],
        [{ tags: Array.from({ length: 101 }, () => "x") }, "TOO_LARGE"],
      ];
      for (const [given, code] of wrong) {
        const change: MetadataChange = JSON.parse(JSON.stringify(given));
        expect(await codeOf(store.setMetadata("t", change))).toBe(code);
      }
      expect((await store.list()).threads).toEqual([]);
      const most = { title: "x".repeat(2000), user: "猫".repeat(200), tags: ["y".repeat(200)] };
      expect(await store.setMetadata("t", most)).toMatchObject(most);
    });
  });
}

function describeForkedMetadata(stores: UseStores): void {
  describe("metadata of a fork and of a deleted thread", () => {
    it("goes along to a fork, and from there on its own way", async () => {
      const { store } = await stores();
      await store.append("t", messages("a", "b"));
      await store.setMetadata("t", { title: "Planets", user: "ada", tags: ["x"] });
      await store.fork("t", { at: "a", as: "f" });
      const fork = await known(store, "t/f");
      expect(fork).toMatchObject({ title: "Planets", user: "ada", tags: ["x"], entryCount: 1 });
      await store.setMetadata("t", { title: "Moons", user: "eve" });
      expect(await known(store, "t/f")).toEqual(fork);
      expect(await usersThreads(store, "ada")).toEqual(["t/f"]);
    });

    it("goes with its thread", async () => {
      const { store } = await stores();
      await store.append("t", messages("a"));
      await store.setMetadata("t", { title: "Planets", user: "ada" });
      await store.delete("t");
      expect(await codeOf(store.getMetadata("t"))).toBe("THREAD_DELETED");
      expect(await codeOf(store.setMetadata("t", { title: "x" }))).toBe("THREAD_DELETED");
      expect(await usersThreads(store, "ada")).toEqual([]);
      expect(await usersThreads(store, undefined)).toEqual([]);
    });
  });
}

function describeNewestFirst(stores: UseStores): void {
  describe("a list, newest first", () => {
    it("gives each thread of a user on one page, sorted by the last change of its log", async () => {
      const { store, another } = await stores();
      const users = ["ada", "eve", "ada ", "\u0000"];
      const ids = Array.from({ length: 24 }, (_, nth) => `t${nth}`);
      for (const [nth, threadId] of ids.entries()) {
        await store.append(threadId, messages("a"));
        await store.setMetadata(threadId, { user: users[nth % users.length] ?? "" });
      }
      for (const threadId of ["t8", "t4", "t5"]) await store.append(threadId, messages("b"));
      const fresh = await another();
      for (const limit of [1, 2, 5, 6, 7, Infinity]) {
        for (const [nth, user] of users.entries()) {
          const pages = await pagesOf(fresh, { user, limit });
          expectSorted(pages);
          const found = pages.flat().map(({ threadId }) => threadId);
          const own = ids.filter((_, index) => index % users.length === nth);
          expect(found.toSorted()).toEqual(own.toSorted());
        }
        const all = await pagesOf(fresh, { newestFirst: true, limit });
        expectSorted(all);
        expect(
          all
            .flat()
            .map(({ threadId }) => threadId)
            .toSorted(),
        ).toEqual(ids.toSorted());
      }
      expect(await usersThreads(fresh, "nobody")).toEqual([]);
    });

    it("follows a thread from one user to another", async () => {
      const { store, another } = await stores();
      await store.setMetadata("t", { user: "ada" });
      await (await another()).setMetadata("t", { user: "eve" });
      await store.append("t", messages("a"));
      expect(await usersThreads(store, "ada")).toEqual([]);
      expect(await usersThreads(store, "eve")).toEqual(["t"]);
      await store.setMetadata("t", { user: "ada" });
      expect(await usersThreads(store, "eve")).toEqual([]);
      expect(await usersThreads(store, "ada")).toEqual(["t"]);
      await store.setMetadata("t", { user: null });
      expect(await usersThreads(store, "ada")).toEqual([]);
    });

    it("takes a prefix too", async () => {
      const { store } = await stores();
      for (const threadId of ["a1", "b1", "a2", "b2"]) {
        await store.setMetadata(threadId, { user: "ada" });
      }
      for (const options of [{ user: "ada" }, { newestFirst: true }]) {
        const pages = await pagesOf(store, { ...options, prefix: "a", limit: 1 });
        const found = pages.flat().map(({ threadId }) => threadId);
        expect(found.toSorted()).toEqual(["a1", "a2"]);
      }
    });
  });
}

async function known(store: HistoryStore, threadId: string): Promise<ThreadMetadata> {
  const metadata = await store.getMetadata(threadId);
  if (metadata === undefined) throw new Error(`Expected a thread ${threadId}.`);
  return metadata;
}

/** Waits until the clock has moved on. */
async function laterThan(ms: number): Promise<void> {
  while (Date.now() <= ms + 1) await new Promise((resolve) => setTimeout(resolve, 1));
}

async function usersThreads(
  store: HistoryStore,
  user: string | undefined,
): Promise<readonly string[]> {
  const pages = await pagesOf(store, {
    newestFirst: true,
    limit: 10,
    ...(user !== undefined && { user }),
  });
  return pages.flat().map(({ threadId }) => threadId);
}

/** An index may be a minute behind: a page is sorted exactly, pages among each other to a minute. */
function expectSorted(pages: readonly (readonly ThreadMetadata[])[]): void {
  for (const page of pages) {
    const times = page.map(({ updatedAtMs }) => updatedAtMs);
    expect(times).toEqual(times.toSorted((one, other) => other - one));
  }
  for (const [nth, page] of pages.entries()) {
    const oldest = page.at(-1)?.updatedAtMs ?? 0;
    for (const { updatedAtMs } of pages.slice(nth + 1).flat()) {
      expect(updatedAtMs).toBeLessThan(oldest + 60_000);
    }
  }
}

async function pagesOf(
  store: HistoryStore,
  options: NonNullable<Parameters<HistoryStore["list"]>[0]> & { readonly limit: number },
): Promise<readonly (readonly ThreadMetadata[])[]> {
  const pages: (readonly ThreadMetadata[])[] = [];
  let cursor: string | undefined;
  do {
    const page = await store.list({ ...options, ...(cursor !== undefined && { cursor }) });
    expect(page.threads.length).toBeLessThanOrEqual(options.limit);
    pages.push(page.threads);
    ({ cursor } = page);
  } while (cursor !== undefined && pages.length < 200);
  return pages;
}
