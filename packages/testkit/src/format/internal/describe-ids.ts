import type { EntrySources, HistoryEntry } from "@agent-history/core";
import { packBinary, unpackBinary } from "@agent-history/format-kit";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { arbitraryDamagedMessages } from "../arbitrary-damaged-messages.ts";
import type { FormatUnderTest } from "../format-under-test.ts";
import { changesInPlace } from "./changes-in-place.ts";

/** What holds of ids, and of entry objects. */
export function describeIds(format: FormatUnderTest, runs: number): void {
  const { read, userMessage, knownMessages, strangeMessages } = format;
  const damaged = arbitraryDamagedMessages([...knownMessages, ...strangeMessages].map(packBinary));
  const now = (): number => 0;
  const idsOf = (messages: readonly object[]): readonly string[] =>
    read(messages, { now }).map(({ id }) => id);

  describe("ids and entries", () => {
    it("come from the caller, with time, turn and agent, where they are handed in", () => {
      const agent = { id: "a1", role: "worker" } as const;
      const options = { newId: () => "given", now: () => 7, turnId: "t1", agent };

      expect(read([userMessage("To Rome.")], options)).toMatchObject([
        { id: "given", createdAtMs: 7, turnId: "t1", agent },
      ]);
    });

    it("are the same when the conversation comes again, grown", () => {
      fc.assert(
        fc.property(damaged, damaged, (before, after) => {
          // A user's message ends what a provider may go on with.
          const said = [...before.map(unpackBinary), userMessage("Go on.")];
          const known = read(said, { now });
          const grown = read([...said, ...after.map(unpackBinary)]).slice(0, known.length);

          for (const [index, entry] of grown.entries()) expect(entry).toBe(known[index]);
          expect(idsOf(copied(said))).toEqual(known.map(({ id }) => id));
        }),
        { numRuns: runs },
      );
    });

    it("differ within a conversation, also where messages say the same", () => {
      fc.assert(
        fc.property(damaged, (packed) => {
          const ids = idsOf([...packed, ...packed].map(unpackBinary));

          expect(new Set(ids).size).toBe(ids.length);
        }),
        { numRuns: runs },
      );
    });

    it("say whether they come from position and text", () => {
      fc.assert(
        fc.property(damaged, (packed) => {
          const messages = packed.map(unpackBinary);

          expect(read(messages).every(({ origin }) => origin?.derivedId === true)).toBe(true);
          for (const { origin } of read(messages, countedSources())) {
            expect(origin).not.toHaveProperty("derivedId");
          }
        }),
        { numRuns: runs },
      );
    });
  });
}

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

/** Copies messages, so that no object appears twice, and all can be changed. */
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

/** Returns ids that count up and a clock that stands still. */
export function countedSources(): EntrySources {
  let count = 0;
  return {
    newId: () => {
      count += 1;
      return `entry-${count}`;
    },
    now: () => 0,
  };
}
