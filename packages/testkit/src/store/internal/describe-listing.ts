import type { HistoryStore } from "@agent-history/core";
import { describe, expect, it } from "vitest";

import { codeOf, listed, messages } from "./ask-store.ts";
import type { UseStores } from "./use-stores.ts";

/** Which threads there are. */
export function describeListing(stores: UseStores): void {
  describe("list", () => {
    it("gives every thread once, page by page", async () => {
      const { store } = await stores();
      const ids = Array.from({ length: 23 }, (_, index) => `t${index}`);
      for (const threadId of ids) await store.append(threadId, messages("a"));
      for (const limit of [1, 5, 22, 23, 24, Infinity]) {
        const pages = await pagesOf(store, { limit });
        expect(pages.flat().toSorted()).toEqual(ids.toSorted());
        expect(Math.max(...pages.map(({ length }) => length))).toBeLessThanOrEqual(limit);
      }
    });

    it("takes a prefix as text, never as a pattern", async () => {
      const { store } = await stores();
      const ids = ["a", "a/1", "a/2", "ab", "*", "*x", "%", "%y", "a_c", "A", "👍1", "👎2"];
      for (const threadId of ids) await store.append(threadId, messages("m"));
      for (const prefix of ["", "a", "a/", "*", "%", "a_", "👍", "\uD83D", "missing", "a\u0000"]) {
        const found = (await pagesOf(store, { prefix, limit: 3 })).flat();
        const wanted = ids.filter((id) => id.startsWith(prefix));
        expect([prefix, ...found.toSorted()]).toEqual([prefix, ...wanted.toSorted()]);
      }
    });

    it("gives none for a limit of 0, refuses what is no count, and is empty without threads", async () => {
      const { store } = await stores();
      expect(await listed(store)).toEqual([]);
      expect((await store.list()).cursor).toBeUndefined();
      await store.append("t", messages("a"));
      expect(await listed(store, { limit: 0 })).toEqual([]);
      for (const limit of [-1, 0.5, Number.NaN]) {
        expect(await codeOf(store.list({ limit }))).toBe("INVALID_OPTION");
      }
    });

    it("goes on past threads that were deleted since", async () => {
      const { store } = await stores();
      const ids = ["a", "b", "c", "d", "e", "f"];
      for (const threadId of ids) await store.append(threadId, messages("m"));
      const first = await store.list({ limit: 2 });
      const ofFirst = first.threads.map(({ threadId }) => threadId);
      for (const threadId of ofFirst) await store.delete(threadId);
      const rest = await pagesOf(store, {
        limit: 2,
        ...(first.cursor && { cursor: first.cursor }),
      });
      expect([...ofFirst, ...rest.flat()].toSorted()).toEqual(ids);
    });
  });
}

async function pagesOf(
  store: HistoryStore,
  options: { readonly prefix?: string; readonly limit: number; readonly cursor?: string },
): Promise<readonly (readonly string[])[]> {
  const pages: (readonly string[])[] = [];
  let { cursor } = options;
  do {
    const page = await store.list({ ...options, ...(cursor !== undefined && { cursor }) });
    pages.push(page.threads.map(({ threadId }) => threadId));
    cursor = page.cursor;
  } while (cursor !== undefined && pages.length < 100);
  return pages;
}
