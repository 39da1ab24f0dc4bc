import type { HistoryEntry } from "@agent-history/core";
import { isHistoryError } from "@agent-history/core";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { arbitraryEntry } from "../../arbitrary-entry.ts";
import { strangeEntries } from "../../strange-values.ts";
import { idsOf, messages } from "./ask-store.ts";
import type { UseStores } from "./use-stores.ts";

/** What is no entry, or has fields that cannot be read: refused with a typed error, never torn, never thrown as it comes. */
export function describeStrangeEntries(stores: UseStores, runs: number): void {
  describe("a strange entry", () => {
    it("is refused with a typed error, and what stands beside it in a batch is not written", async () => {
      const { store } = await stores();
      const samples = fc.sample(arbitraryEntry({ optional: "all" }), { numRuns: 15, seed: 3 });
      const strange = strangeEntries<HistoryEntry>(samples);
      const place = fc.nat({ max: strange.length - 1 });
      let nth = 0;
      await fc.assert(
        fc.asyncProperty(place, async (at) => {
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
}
