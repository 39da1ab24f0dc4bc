import type { HistoryStore } from "@agent-history/core";
import { isHistoryError } from "@agent-history/core";
import { describe, expect } from "vitest";

import { codeOf, compact, idsOf, manyMessages, messages, replace } from "./ask-store.ts";
import type { StoreTest } from "./store-test.ts";

/** Suffixes that are replaced: editing, regenerating, resetting. */
export function describeReplacements(it: StoreTest): void {
  describe("replaceSuffix", () => {
    it("refuses what it cannot do, and changes nothing", async ({ store }) => {
      await store.append("t", messages("a", "b", "c"));
      await compact(store, "t", "z", ["a", "a"], { viewRevision: 0 });
      const sound = { from: "b", expectedVersion: 3, replacement: messages("d"), operationId: "o" };
      const refused: readonly (readonly [object, string])[] = [
        [{ from: "gone" }, "NOT_FOUND"],
        [{ from: "z" }, "NOT_FOUND"],
        [{ from: 5 }, "INVALID_OPTION"],
        [{ operationId: "" }, "INVALID_OPTION"],
        [{ operationId: undefined }, "INVALID_OPTION"],
        [{ operationId: "o".repeat(2001) }, "TOO_LARGE"],
        [{ expectedVersion: 2 }, "VERSION_CONFLICT"],
        [{ expectedVersion: "none" }, "VERSION_CONFLICT"],
        [{ replacement: messages("d", "a") }, "DUPLICATE_ID"],
        [{ replacement: messages("z") }, "DUPLICATE_ID"],
        [{ replacement: messages("d", "d") }, "DUPLICATE_ID"],
        [{ replacement: manyMessages("m", 501) }, "TOO_LARGE"],
      ];
      for (const [change, code] of refused)
        expect(await codeOf(store.replaceSuffix("t", { ...sound, ...change }))).toBe(code);
      expect(await codeOf(store.replaceSuffix("missing", sound))).toBe("NOT_FOUND");
      expect(await store.read("t")).toMatchObject({
        version: 3,
        entries: messages("a", "b", "c"),
      });
    });
  });

  describe("a reader that follows a thread", () => {
    it("is told from where to read again, where its last entry was replaced", async ({ store }) => {
      await store.append("t", messages("a", "b", "c", "d"));
      await replace(store, "d", ["e"]);
      expect(await lastCommonOf(store, "d")).toBe("c");
      await store.append("t", messages("f"));
      await replace(store, "f", ["g", "h"]);
      await replace(store, "b", ["i"]);
      for (const id of ["c", "d", "e", "f", "h"]) expect(await lastCommonOf(store, id)).toBe("a");
      expect(await idsOf(store, "t", { clauses: [{}], after: "a" })).toBe("i");
      expect(await idsOf(store, "t", { clauses: [{}], before: "i" })).toBe("a");
      await replace(store, "a", []);
      expect(await lastCommonOf(store, "i")).toBe("none");
      expect(await codeOf(store.read("t", { query: { clauses: [{}], after: "never" } }))).toBe(
        "NOT_FOUND",
      );
    });
  });
}

async function lastCommonOf(store: HistoryStore, after: string): Promise<unknown> {
  const error: unknown = await store
    .read("t", { query: { clauses: [{}], after } })
    .catch((reason: unknown) => reason);
  if (!isHistoryError(error, "HISTORY_REWOUND")) throw error;
  return error.details["lastCommonId"] ?? "none";
}
