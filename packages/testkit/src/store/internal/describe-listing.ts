import type { HistoryStore, MetadataChange, ThreadMetadata } from "@agent-history/core";
import { describe, expect } from "vitest";

import { codeOf, listed, messages, namesIn, pagesOf } from "./ask-store.ts";
import { ODD_NAMES } from "./odd-names.ts";
import type { StoreTest } from "./store-test.ts";

/** Which threads there are, whose they are, and what a list shows of them. */
export function describeListing(it: StoreTest): void {
  describe("list", () => {
    it("gives every thread once, page by page, by a prefix that is text, never a pattern", async ({
      store,
    }) => {
      expect(await store.list()).toEqual({ threads: [] });
      const ids = ["a", "a/1", "a/2", "ab", "*", "*x", "%", "%y", "a_c", "A", "👍1", "👎2"];
      for (const threadId of ids) await store.append(threadId, messages("m"));
      for (const limit of [1, 5, 11, 12, 13, Infinity])
        expect(await namesIn(store, { limit })).toEqual(ids.toSorted());
      for (const prefix of ["", "a", "a/", "*", "%", "a_", "👍", "\uD83D", "missing", "a\u0000"])
        expect([prefix, ...(await namesIn(store, { prefix, limit: 3 }))]).toEqual([
          prefix,
          ...ids.filter((id) => id.startsWith(prefix)).toSorted(),
        ]);
      expect(await listed(store, { limit: 0 })).toEqual([[]]);
      for (const limit of [-1, 0.5, Number.NaN])
        expect(await codeOf(store.list({ limit }))).toBe("INVALID_OPTION");
    });

    it("goes on past threads that were deleted since", async ({ store }) => {
      const ids = ["a", "b", "c", "d", "e", "f"];
      for (const threadId of ids) await store.append(threadId, messages("m"));
      const first = await store.list({ limit: 2 });
      const names = first.threads.map(({ threadId }) => threadId);
      for (const threadId of names) await store.delete(threadId);
      const rest = await namesIn(store, {
        limit: 2,
        ...(first.cursor && { cursor: first.cursor }),
      });
      expect([...names, ...rest].toSorted()).toEqual(ids);
    });

    it("gives a user's threads, or all, sorted by the last change of their logs", async ({
      store,
      another,
    }) => {
      const users = ["ada", "eve", "ada ", "\u0000"];
      const ids = Array.from({ length: 24 }, (_, nth) => `t${nth}`);
      for (const [nth, threadId] of ids.entries()) {
        await store.append(threadId, messages("a"));
        await store.setMetadata(threadId, { user: users[nth % users.length] ?? "" });
      }
      for (const threadId of ["t8", "t4", "t5"]) await store.append(threadId, messages("b"));
      const fresh = await another();
      for (const limit of [1, 5, 6, 7, Infinity]) {
        for (const [nth, user] of users.entries()) {
          const own = ids.filter((_, index) => index % users.length === nth);
          expect(await sortedNames(fresh, { user, limit })).toEqual(own.toSorted());
        }
        expect(await sortedNames(fresh, { newestFirst: true, limit })).toEqual(ids.toSorted());
      }
      const ofAda = { user: "ada", prefix: "t1", limit: 1 };
      expect(await sortedNames(fresh, ofAda)).toEqual(["t12", "t16"]);
      expect(await sortedNames(fresh, { newestFirst: true, prefix: "t1", limit: 3 })).toEqual(
        ids.filter((id) => id.startsWith("t1")).toSorted(),
      );
      expect(await namesIn(fresh, { user: "nobody" })).toEqual([]);
    });
  });

  describe("metadata", () => {
    it("says of a thread when it began, when its log or metadata changed, and how long that is", async ({
      store,
      another,
    }) => {
      expect(await store.getMetadata("t")).toBeUndefined();
      await store.append("t", messages("a", "b"));
      const first = await known(store);
      const { createdAtMs } = first;
      expect(first).toEqual({
        threadId: "t",
        tags: [],
        createdAtMs,
        updatedAtMs: createdAtMs,
        entryCount: 2,
      });
      expect(Math.abs(createdAtMs - Date.now())).toBeLessThan(3_600_000);
      await laterThan(createdAtMs);
      await store.setState("t", "key", 1, { expectedRevision: 0 });
      await store.setMetadata("t", { title: "Planets" });
      await store.append("t", messages("b"));
      const titled = await known(store);
      expect(titled.updatedAtMs).toBeGreaterThan(createdAtMs);
      expect(titled).toEqual({ ...first, title: "Planets", updatedAtMs: titled.updatedAtMs });
      await store.append("t", messages("c"));
      const second = await known(await another());
      expect(second).toMatchObject({ createdAtMs, entryCount: 3 });
      expect(second.updatedAtMs).toBeGreaterThanOrEqual(titled.updatedAtMs);
      await laterThan(second.updatedAtMs);
      const replacement = { expectedVersion: "any", replacement: [], operationId: "o" } as const;
      await store.replaceSuffix("t", { from: "b", ...replacement });
      const third = await known(store);
      expect(third).toMatchObject({ createdAtMs, entryCount: 1 });
      expect(third.updatedAtMs).toBeGreaterThan(second.updatedAtMs);
    });

    it("changes in what is given, for all handles at once, and goes from one user to another", async ({
      store,
      another,
    }) => {
      const other = await another();
      const made = await store.setMetadata("t", {
        title: "Planets",
        user: "ada",
        tags: ["x", "y"],
      });
      expect(made).toMatchObject({ title: "Planets", user: "ada", tags: ["x", "y"] });
      expect(await namesIn(store, { user: "ada" })).toEqual(["t"]);
      await Promise.all([
        store.setMetadata("t", { title: "Moons" }),
        other.setMetadata("t", { tags: ["z"] }),
        other.setMetadata("t", { user: "eve" }),
        store.setMetadata("t", { user: undefined }),
      ]);
      const changes = { title: "Moons", tags: ["z"], user: "eve", updatedAtMs: expect.any(Number) };
      expect(await known(other)).toEqual({ ...made, ...changes });
      expect(await namesIn(store, { user: "ada" })).toEqual([]);
      expect(await namesIn(store, { user: "eve" })).toEqual(["t"]);
      const nobodys = await store.setMetadata("t", { title: null, user: null, tags: [] });
      const { title: _, user: __, ...left } = made;
      expect(nobodys).toEqual({ ...left, tags: [], updatedAtMs: expect.any(Number) });
      expect(await namesIn(store, { user: "eve" })).toEqual([]);
      const first = await store.append("t", messages("a"), { expectedVersion: 0 });
      expect(first).toEqual({ version: 1, duplicate: false });
    });

    it("keeps every text to the last code unit", async ({ store }) => {
      for (const [nth, text] of ["", ...ODD_NAMES].entries()) {
        const user = `u${text.slice(0, 199)}`;
        const about = { title: text, user, tags: [user, "x"] };
        await store.setMetadata(`t${nth}`, about);
        expect(await store.getMetadata(`t${nth}`)).toMatchObject(about);
        expect(await namesIn(store, { user })).toEqual([`t${nth}`]);
      }
    });

    it("refuses what is no text or too long, and writes nothing", async ({ store }) => {
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
      expect(await namesIn(store)).toEqual([]);
      const most = { title: "x".repeat(2000), user: "猫".repeat(200), tags: ["y".repeat(200)] };
      expect(await store.setMetadata("t", most)).toMatchObject(most);
    });
  });
}

/** An index may be a minute behind: a page is sorted exactly, pages among each other to a minute. */
async function sortedNames(
  store: HistoryStore,
  options: Parameters<HistoryStore["list"]>[0],
): Promise<readonly string[]> {
  const pages = await pagesOf(async (at) => {
    const { threads, cursor } = await store.list({ ...options, ...at });
    const times = threads.map(({ updatedAtMs }) => updatedAtMs);
    expect(times).toEqual(times.toSorted((one, other) => other - one));
    return [threads, cursor];
  });
  for (const [nth, page] of pages.entries())
    for (const { updatedAtMs } of pages.slice(nth + 1).flat())
      expect(updatedAtMs).toBeLessThan((page.at(-1)?.updatedAtMs ?? Infinity) + 60_000);
  return pages
    .flat()
    .map(({ threadId }) => threadId)
    .toSorted();
}

async function known(store: HistoryStore): Promise<ThreadMetadata> {
  const metadata = await store.getMetadata("t");
  if (metadata === undefined) throw new Error("Expected a thread.");
  return metadata;
}

/** Waits until the clock has moved on. */
async function laterThan(ms: number): Promise<void> {
  while (Date.now() <= ms + 1) await new Promise((resolve) => setTimeout(resolve, 1));
}
