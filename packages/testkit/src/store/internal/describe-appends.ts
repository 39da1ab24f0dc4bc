import { summary, userMessage } from "@agent-history/core";
import { describe, expect } from "vitest";

import { codeOf, messages, namesIn } from "./ask-store.ts";
import type { StoreTest } from "./store-test.ts";

/** What append copies, refuses and says. What it keeps, and what is a retry, is the fuzz's. */
export function describeAppends(it: StoreTest): void {
  describe("append", () => {
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

    it("refuses token counts that are not one for each entry, and a summary of a view", async ({
      store,
    }) => {
      for (const counts of [[1], [1, 2, 3], [1, -1], [1, Number.NaN], [1, Infinity]]) {
        const work = store.append("t", messages("a", "b"), { tokens: new Map([["n", counts]]) });
        expect(await codeOf(work)).toBe("INVALID_OPTION");
      }
      const fields = { content: "", strategy: "whole", trust: "user", createdAtMs: 0 } as const;
      const overlay = summary({ id: "y", ...fields, view: "thread" });
      expect(await codeOf(store.append("t", [...messages("a"), overlay]))).toBe("INVALID_ENTRY");
      expect(await namesIn(store)).toEqual([]);
    });

    it("says which version was expected and which is there", async ({ store }) => {
      await store.append("t", messages("a", "b"));
      await expect(store.append("t", messages("c"), { expectedVersion: 1 })).rejects.toMatchObject({
        code: "VERSION_CONFLICT",
        details: { expected: 1, actual: 2 },
      });
    });
  });
}
