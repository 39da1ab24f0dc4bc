import type { HistoryEntry } from "@agent-history/core";
import { customEntry, errorEntry } from "@agent-history/core";
import { parseEntry } from "@agent-history/core/schema";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { arbitraryHistory } from "../../arbitrary-history.ts";
import { strangeEntries } from "../../strange-values.ts";
import type { FormatUnderTest } from "../format-under-test.ts";

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
