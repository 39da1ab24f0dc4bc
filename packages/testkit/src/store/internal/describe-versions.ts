import type { ExpectedVersion } from "@agent-history/core";
import { isHistoryError } from "@agent-history/core";
import { describe, expect, it } from "vitest";

import { codeOf, compact, idsOf, messages } from "./ask-store.ts";
import type { UseStores } from "./use-stores.ts";

/** What each expected version takes and refuses. */
export function describeVersions(stores: UseStores): void {
  describe("expectedVersion", () => {
    it.each<[expected: ExpectedVersion, empty: boolean, filled: boolean]>([
      ["any", true, true],
      ["none", true, false],
      ["exists", false, true],
      [0, true, false],
      [1, false, false],
      [2, false, true],
      [3, false, false],
    ])("%s: takes a first batch: %s, takes one at version 2: %s", async (expected, ...taken) => {
      const { store } = await stores();
      await store.append("filled", messages("a", "b"));
      for (const [index, threadId] of ["empty", "filled"].entries()) {
        const isTaken = taken[index] === true;
        const before = await idsOf(store, threadId);
        const options = { expectedVersion: expected };
        const code = isTaken ? undefined : "VERSION_CONFLICT";
        expect(await codeOf(store.append(threadId, [], options))).toBe(code);
        expect(await codeOf(store.append(threadId, messages("c"), options))).toBe(code);
        expect(await idsOf(store, threadId)).toBe(isTaken ? `${before} c`.trim() : before);
      }
    });

    it("says what was expected and what is there", async () => {
      const { store } = await stores();
      await store.append("t", messages("a", "b"));
      const error: unknown = await store
        .append("t", messages("c"), { expectedVersion: 1 })
        .catch((reason: unknown) => reason);
      expect(isHistoryError(error, "VERSION_CONFLICT") && error.details).toMatchObject({
        expected: 1,
        actual: 2,
      });
    });

    it("is not raised by a summary", async () => {
      const { store } = await stores();
      await store.append("t", messages("a", "b"));
      await compact(store, "t", "z", ["a", "b"], { viewRevision: 0 });
      expect((await store.read("t")).version).toBe(2);
      await store.append("t", messages("c"), { expectedVersion: 2 });
    });

    it("does not matter to a retry of what is there", async () => {
      const { store } = await stores();
      const retried: readonly ExpectedVersion[] = ["none", "exists", "any", 0, 1, 3, 9];
      await store.append("t", messages("a", "b"), { expectedVersion: "none" });
      await store.append("t", messages("c"));
      for (const expectedVersion of retried) {
        const again = await store.append("t", messages("a", "b"), { expectedVersion });
        expect(again).toEqual({ version: 3, duplicate: true });
      }
      expect(await idsOf(store, "t")).toBe("a b c");
    });
  });
}
