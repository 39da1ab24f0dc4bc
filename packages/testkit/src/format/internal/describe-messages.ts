import { customEntry, errorEntry, repairHistory } from "@agent-history/core";
import type { HistoryEntry } from "@agent-history/core";
import { checkHistory } from "@agent-history/core/check";
import { parseEntry } from "@agent-history/core/schema";
import { packBinary, unpackBinary } from "@agent-history/format-kit";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { arbitraryEntry } from "../../arbitrary-entry.ts";
import { arbitraryHistory } from "../../arbitrary-history.ts";
import { deepFreeze } from "../../deep-freeze.ts";
import { strangeEntries } from "../../strange-values.ts";
import { arbitraryDamagedMessages } from "../arbitrary-damaged-messages.ts";
import type { FormatUnderTest } from "../format-under-test.ts";
import { countedSources } from "./describe-ids.ts";
import { missingTexts, repeatedTexts, withoutOrigin } from "./repeated-texts.ts";

/** What holds of each kind of message. */
export function describeSamples({
  read,
  write,
  knownMessages,
  strangeMessages,
}: FormatUnderTest): void {
  describe.each([
    ["every kind of message of the SDK", knownMessages],
    ["what the SDK does not allow", strangeMessages],
  ])("%s", (_, messages) => {
    it("comes back as it was, says no text twice, and makes entries that can be stored", () => {
      const packed = messages.map(packBinary);
      const entries = read(messages, countedSources());
      const stored: readonly HistoryEntry[] = JSON.parse(JSON.stringify(entries));

      expect(write(deepFreeze(entries))).toStrictEqual(messages);
      expect(missingTexts(packed, entries)).toEqual([]);
      expect(repeatedTexts(packed, entries)).toEqual([]);
      expect(messages.map(packBinary)).toEqual(packed);
      expect(stored.map(parseEntry)).toStrictEqual(entries);
      expect(write(stored)).toStrictEqual(messages);
    });

    it("comes back message by message", () => {
      for (const message of messages) expect(write(read([message]))).toStrictEqual([message]);
    });
  });
}

/** What holds of messages with fields lost, changed and added. */
export function describeDamage(format: FormatUnderTest, runs: number): void {
  const { read, write, knownMessages, strangeMessages } = format;
  const damaged = arbitraryDamagedMessages([...knownMessages, ...strangeMessages].map(packBinary));

  describe("damaged messages", () => {
    it("lose nothing, unknown fields and kinds included, say nothing twice, and make entries that can be stored", () => {
      fc.assert(
        fc.property(damaged, (packed) => {
          const messages = packed.map(unpackBinary);
          const entries = read(messages, { now: () => 0 });
          const stored: readonly HistoryEntry[] = JSON.parse(JSON.stringify(entries));

          // Not strictly: a message may have a field that is called `constructor`.
          expect(write(deepFreeze(entries))).toEqual(messages);
          expect(repeatedTexts(messages.map(packBinary), entries)).toEqual([]);
          expect(stored.map(parseEntry)).toEqual(entries);
          expect(write(stored.map(parseEntry))).toEqual(messages);
        }),
        { numRuns: runs },
      );
    });
  });
}

/** What holds of the messages that any entries become, wherever they came from. */
export function describeConversations(format: FormatUnderTest, runs: number): void {
  const { read, write, problems } = format;
  const viewerId = fc.constantFrom("", "a", "b");

  describe("entries of another origin", () => {
    it("become messages that come back as they are, sound or not", () => {
      const entries = fc.oneof(arbitraryHistory(), fc.array(arbitraryEntry(), { maxLength: 12 }));
      fc.assert(
        fc.property(entries, viewerId, (drawn, agentId) => {
          const messages = write(deepFreeze(withoutOrigin(drawn)), { agentId });

          expect(write(read(messages))).toStrictEqual(messages);
        }),
        { numRuns: runs },
      );
    });

    if (problems === undefined) return;
    it("become messages that the provider takes, where they are sound", async () => {
      await fc.assert(
        fc.asyncProperty(arbitraryHistory({ running: false }), viewerId, async (drawn, agentId) => {
          const { entries } = repairHistory(withoutOrigin(drawn));
          fc.pre(checkHistory(entries).every(({ law }) => law !== "L1"));

          expect(await problems(write(deepFreeze(entries), { agentId }))).toEqual([]);
        }),
        { numRuns: runs },
      );
    });
  });
}

/** What holds of values that are no messages and no entries. */
export function describeStrange(format: FormatUnderTest, allRuns: number): void {
  // Values 200,000 levels deep take a hundred times as long as others.
  const runs = Math.ceil(allRuns / 10);
  const { read, write, userMessage, knownMessages } = format;
  const messages = strangeEntries(knownMessages.slice(0, 8));
  const history = fc.sample(arbitraryHistory(), { numRuns: 20, seed: 7 }).flat();
  const samples = [...new Map(history.map((entry) => [entry.type, entry])).values()];
  const known = read(knownMessages).slice(0, 8);
  const entries = strangeEntries<HistoryEntry>([...samples, ...known]);
  // By their indexes: they cannot all be printed.
  const locations = (list: readonly unknown[]): fc.Arbitrary<readonly number[]> =>
    fc.array(fc.nat({ max: list.length - 1 }), { minLength: 1, maxLength: 3 });

  describe("strange values", () => {
    it("become entries that can be stored, and do not throw", () => {
      fc.assert(
        fc.property(locations(messages), (at) => {
          const among = at.flatMap((index) => messages.slice(index, index + 1));
          const came = read([userMessage("Hi."), ...among, userMessage("Go on.")]);

          expect(came.map(parseEntry)).toEqual(came);
          expect(write(came).length).toBeGreaterThan(1);
        }),
        { numRuns: runs },
      );
    });

    it("come back where they are JSON", () => {
      const plain: readonly object[] = JSON.parse(
        '[null, true, 0, -1.5, "", "text", [], [null], {}]',
      );

      expect(write(read(plain))).toEqual(plain);
    });

    it("are left out of messages where they are entries that cannot be read", () => {
      fc.assert(
        fc.property(locations(entries), (at) => {
          const among = at.flatMap((index) => entries.slice(index, index + 1));
          const said = read([userMessage("Hi.")]);

          expect(write([...said, ...among])).toEqual(expect.arrayContaining([userMessage("Hi.")]));
        }),
        { numRuns: runs },
      );
    });

    it("have no part in a user's own type: its content is a user's message, and without one it is left out", () => {
      const note = customEntry({ type: "note", content: "Hi.", stars: 5 });
      const event = customEntry({ type: "event", payload: { clicked: true } });
      const [hello] = write([note]);
      const [usual] = write([errorEntry({ content: "Hi." })]);

      expect(hello).toEqual(usual);
      expect(write([event, note, event])).toEqual([hello]);
      expect(write([event], { agentId: "w1" })).toEqual([]);
    });
  });
}
