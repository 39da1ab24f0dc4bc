import type { HistoryEntry } from "@agent-history/core";
import { packBinary, unpackBinary } from "@agent-history/format-kit";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { arbitraryDamagedMessages } from "../arbitrary-damaged-messages.ts";
import type { FormatUnderTest } from "../format-under-test.ts";
import { changesInPlace } from "./changes-in-place.ts";
import { countedSources } from "./counted-sources.ts";

/** What holds of messages that are passed in again: what is remembered of them decides nothing. */
export function describeMemory(format: FormatUnderTest, allRuns: number): void {
  const { read, knownMessages, strangeMessages } = format;
  const page = [...knownMessages, ...strangeMessages];
  const readAtZero = (messages: readonly object[]): readonly HistoryEntry[] =>
    read(messages, { now: () => 0 });

  describe("messages that are handed in again", () => {
    it("are noticed to have changed by every leaf, key and place that is changed in place", () => {
      // Whoever reads a message anew gives it another id.
      const missed = copied(page).flatMap((message) => {
        const ids = (): string => JSON.stringify(readAtZero([message]).map(({ id }) => id));
        const before = ids();
        return changesInPlace(message).filter(({ apply, undo }) => {
          apply();
          const isMissed = ids() === before;
          undo();
          return isMissed;
        });
      });

      expect(missed).toEqual([]);
    });

    it("read as if for the first time after any changes in place", () => {
      const damaged = arbitraryDamagedMessages(page.map(packBinary));
      const index = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
      fc.assert(
        fc.property(damaged, fc.array(index, { maxLength: 8 }), (packed, indexes) => {
          const messages = packed.map(unpackBinary);
          for (const at of [0, ...indexes]) {
            const warm = readAtZero(messages);

            expect(JSON.stringify(warm)).toBe(JSON.stringify(readAtZero(copied(messages))));
            // Where ids are handed in, nothing is remembered.
            expect(withoutIds(warm)).toBe(withoutIds(read(messages, countedSources())));
            const changes = changesInPlace(messages);
            changes[Math.floor(at * changes.length)]?.apply();
          }
        }),
        // Each run reads a conversation many times.
        { numRuns: Math.ceil(allRuns / 5) },
      );
    });
  });
}

/** Copies messages, so that no object stands twice, and all can be changed. */
function copied(messages: readonly object[]): object[] {
  const copies: { readonly messages?: object[] } = unpackBinary(packBinary({ messages }));
  return copies.messages ?? [];
}

function withoutIds(entries: readonly HistoryEntry[]): string {
  const said = entries.map(({ id: _, createdAtMs: __, origin, ...fields }) => {
    const { message: ___, derivedId: ____, ...others } = origin ?? {};
    return { ...fields, ...others };
  });
  return JSON.stringify(said);
}
