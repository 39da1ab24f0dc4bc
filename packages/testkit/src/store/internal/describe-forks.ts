import { describe, expect } from "vitest";

import { codeOf, idsOf, manyMessages, messages, namesIn } from "./ask-store.ts";
import type { StoreTest } from "./store-test.ts";

/** Threads that begin with what another has. */
export function describeForks(it: StoreTest): void {
  describe("fork", () => {
    it("has the metadata and stands under the thread it came from, or under one that has that below it", async ({
      store,
    }) => {
      await store.append("t", messages("a", "b"));
      await store.setMetadata("t", { title: "Planets", user: "ada" });
      await store.fork("t", { at: "a", as: "x" });
      await store.setMetadata("t", { title: "Moons", user: null });
      const about = { title: "Planets", user: "ada", entryCount: 1 };
      expect(await store.getMetadata("t/x")).toMatchObject(about);
      expect(await namesIn(store, { user: "ada" })).toEqual(["t/x"]);
      const flat = { at: "a", as: "y", under: "t" };
      expect(await store.fork("t/x", flat)).toEqual({ threadId: "t/y" });
      expect(await idsOf(store, "t/y")).toBe("a");
      for (const under of ["u", "t/x/z", "", "t/"])
        expect(await codeOf(store.fork("t/x", { ...flat, under }))).toBe("INVALID_OPTION");
      expect(await namesIn(store)).toEqual(["t", "t/x", "t/y"]);
      expect(await namesIn(store, { withoutForks: true })).toEqual(["t"]);
    });

    it("refuses a name that is no name, a place that is none, and a fork that is there", async ({
      store,
    }) => {
      await store.append("t", messages("a"));
      const invalid: readonly object[] = [
        ...["", "/", "a/b", "/a", 5, undefined, null].map((as) => ({ as })),
        ...[5, undefined, null].map((at) => ({ at })),
        ...["", 5, null].map((operationId) => ({ operationId })),
      ];
      for (const change of invalid) {
        const refused = store.fork("t", { at: "a", as: "x", ...change });
        expect(await codeOf(refused)).toBe("INVALID_OPTION");
      }
      expect(await codeOf(store.fork("t", { at: "gone", as: "x" }))).toBe("NOT_FOUND");
      expect(await codeOf(store.fork("missing", { at: "a", as: "x" }))).toBe("NOT_FOUND");
      await store.fork("t", { at: "a", as: "x" });
      await store.append("t/y", messages("own"));
      for (const as of ["x", "y"])
        expect(await codeOf(store.fork("t", { at: "a", as }))).toBe("VERSION_CONFLICT");
      expect(await idsOf(store, "t/y")).toBe("own");
      await store.delete("t/x");
      expect(await codeOf(store.fork("t", { at: "a", as: "x" }))).toBe("THREAD_DELETED");
    });

    it("has a thousand entries, and both sides go on", async ({ store }) => {
      const log = manyMessages("m", 1000);
      for (let start = 0; start < 1000; start += 250)
        await store.append("t", log.slice(start, start + 250));
      await store.fork("t", { at: "m899", as: "x" });
      await store.append("t/x", messages("own"));
      const { entries } = await store.read("t/x");
      expect(entries).toEqual([...log.slice(0, 900), ...messages("own")]);
      expect(await store.verify("t/x")).toEqual([]);
    });
  });
}
