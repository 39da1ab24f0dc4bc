import type { HistoryEntry } from "@agent-history/core";
import { action, customEntry, isHistoryError } from "@agent-history/core";
import * as fc from "fast-check";
import { describe, expect } from "vitest";

import { arbitraryEntry } from "../../arbitrary-entry.ts";
import { strangeEntries } from "../../strange-values.ts";
import { asPlainJson, codeOf, idsOf, messages, namesIn, withTurnIds } from "./ask-store.ts";
import type { StoreTest } from "./store-test.ts";
import { inLog } from "./thread-life.ts";

/** What is in an entry comes back, all of it; what is no entry is refused with a typed error. */
export function describeEntries(it: StoreTest, runs: number): void {
  describe("an entry", () => {
    it("comes back without fields that are undefined, and is known again with and without them", async ({
      store,
    }) => {
      const calls = [{ id: "c1", name: "t", arguments: "" }];
      const sound = action({ id: "a1", createdAtMs: 0, toolCalls: calls });
      const loose = asEntry({ ...sound, content: undefined, turnId: undefined });
      expect(await store.append("t", [loose])).toEqual({ version: 1, duplicate: false });
      expect(await store.append("t", [sound])).toEqual({ version: 1, duplicate: true });
      expect((await store.read("t")).entries).toStrictEqual([{ ...sound, turnId: "a1" }]);
      const own = { type: "note", id: "n", createdAtMs: 1 };
      await store.append("u", [asEntry({ ...own, metadata: undefined, payload: undefined })]);
      expect((await store.read("u")).entries).toEqual([{ ...own, turnId: "n" }]);
    });

    it("of any type, a user's own too, comes back whole, whatever its fields", async ({
      store,
    }) => {
      let nth = 0;
      const type = fc.constantFrom("note", "__proto__", "constructor", "own", "Ü 漢", "*");
      const own = fc
        .tuple(type, arbitraryEntry(), fc.jsonValue({ maxDepth: 3 }))
        .map(([name, { createdAtMs, metadata = {} }, payload]): HistoryEntry =>
          customEntry({ ...metadata, type: name, id: "own", createdAtMs, payload }),
        );
      const entries = fc.oneof({ weight: 3, arbitrary: arbitraryEntry({ optional: "all" }) }, own);
      await fc.assert(
        fc.asyncProperty(fc.array(entries, { maxLength: 5 }), async (given) => {
          const batch = given.map((entry, index) => inLog(entry, `m${index}`));
          await store.append(`t${(nth += 1)}`, batch);
          expect((await store.read(`t${nth}`)).entries).toEqual(asPlainJson(withTurnIds(batch)));
        }),
        { numRuns: runs },
      );
    });
  });

  describe("a strange entry", () => {
    it("is refused with a typed error, and what stands beside it in a batch is not written", async ({
      store,
    }) => {
      const samples = fc.sample(arbitraryEntry({ optional: "all" }), { numRuns: 15, seed: 3 });
      const strange = strangeEntries<HistoryEntry>(samples);
      let nth = 0;
      await fc.assert(
        fc.asyncProperty(fc.nat({ max: strange.length - 1 }), async (at) => {
          const threadId = `t${(nth += 1)}`;
          const batch = [...messages("a"), ...strange.slice(at, at + 1)];
          const code = await codeOf(store.append(threadId, batch));
          expect(await idsOf(store, threadId)).toMatch(code === undefined ? /^a ./u : /^$/u);
        }),
        { numRuns: runs },
      );
    });

    it("is refused by the same rule in every store, which names the key that JSON does not hold", async ({
      store,
    }) => {
      const refuse = async (entry: object, details: object): Promise<void> => {
        const error: unknown = await store.append("t", [asEntry(entry)]).catch((one) => one);
        expect(isHistoryError(error, "INVALID_ENTRY") && error.details).toMatchObject(details);
      };
      const note = { type: "note", id: "m", createdAtMs: 1 };
      for (const base of [note, { ...note, type: "user_message", content: "Hello" }])
        for (const value of [undefined, Number.NaN, 1n, new Date(0), () => 0, new Map()])
          await refuse(
            { ...base, metadata: { a: [{ key: value }] } },
            { path: "metadata.a.0.key", entryId: "m", entryType: base.type },
          );
      await refuse({ ...note, id: "" }, { path: "id" });
      await refuse({ ...note, createdAtMs: 1.5 }, { path: "createdAtMs" });
      await refuse({ ...note, v: 5 }, { path: "v" });
      await refuse({ ...note, payload: [Number.NaN] }, { path: "payload.0" });
      expect(await namesIn(store)).toEqual([]);
    });
  });
}

function asEntry(value: object): HistoryEntry {
  return value as HistoryEntry;
}
