import type { HistoryEntry } from "@agent-history/core";
import { isHistoryError } from "@agent-history/core";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { arbitraryEntry } from "../../arbitrary-entry.ts";
import { strangeEntries } from "../../strange-values.ts";
import { idsOf, listed, messages } from "./ask-store.ts";
import type { UseStores } from "./use-stores.ts";

/** What is no entry, or has fields that cannot be read: refused with a typed error, never torn, never thrown as it comes. */
export function describeStrangeEntries(stores: UseStores, runs: number): void {
  describe("a strange entry", () => {
    it("is refused with a typed error, and what stands beside it in a batch is not written", async () => {
      const { store } = await stores();
      const samples = fc.sample(arbitraryEntry({ optional: "all" }), { numRuns: 15, seed: 3 });
      const strange = strangeEntries<HistoryEntry>(samples);
      const index = fc.nat({ max: strange.length - 1 });
      let nth = 0;
      await fc.assert(
        fc.asyncProperty(index, async (at) => {
          const threadId = `t${(nth += 1)}`;
          const batch = [...messages("a"), ...strange.slice(at, at + 1)];
          const error: unknown = await store.append(threadId, batch).then(
            () => undefined,
            (refusal: unknown) => refusal,
          );
          if (error !== undefined) expect(isHistoryError(error)).toBe(true);
          const ids = await idsOf(store, threadId);
          if (error === undefined) expect(ids).toMatch(/^a ./u);
          else expect(ids).toBe("");
        }),
        { numRuns: runs * 2 },
      );
    });
  });
  describeRules(stores);
}

/** One rule for all stores. */
function describeRules(stores: UseStores): void {
  describe("an entry that JSON does not hold", () => {
    it("is refused by the same rule in every store, which names the key", async () => {
      const { store } = await stores();
      const types = [{ type: "user_message", content: "Hello" }, { type: "note" }];
      for (const type of types) {
        const base = { id: "m", createdAtMs: 1, ...type };
        for (const value of [undefined, Number.NaN, 1n, new Date(0), () => 0, new Map()]) {
          const entry = { ...base, metadata: { a: [{ key: value }] } };
          await expect(store.append("t", [asEntry(entry)])).rejects.toMatchObject({
            code: "INVALID_ENTRY",
            details: { path: "metadata.a.0.key", entryId: "m", entryType: type.type },
          });
        }
      }
      for (const [path, fields] of Object.entries({
        id: { id: "" },
        createdAtMs: { createdAtMs: 1.5 },
        v: { v: 5 },
        payload: { payload: [Number.NaN] },
      })) {
        const entry = { type: "note", id: "m", createdAtMs: 1, ...fields };
        const appended = store.append("t", [asEntry(entry)]);
        await expect(appended).rejects.toMatchObject({ code: "INVALID_ENTRY" });
        expect({ path, error: await pathOf(appended) }).toEqual({
          path,
          error: path === "payload" ? "payload.0" : path,
        });
      }
      expect(await listed(store)).toEqual([]);
    });

    it("is taken by every store where a field of its own is left out by undefined", async () => {
      const { store } = await stores();
      const entry = { type: "note", id: "m", createdAtMs: 1 };
      await store.append("t", [asEntry({ ...entry, metadata: undefined, payload: undefined })]);
      expect((await store.read("t")).entries).toEqual([entry]);
    });
  });
}

async function pathOf(work: Promise<unknown>): Promise<unknown> {
  return work.catch((error: unknown) => isHistoryError(error) && error.details["path"]);
}

function asEntry(value: object): HistoryEntry {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what the types forbid is the point
  return value as HistoryEntry;
}
