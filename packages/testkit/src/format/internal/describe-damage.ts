import type { HistoryEntry } from "@agent-history/core";
import { parseEntry } from "@agent-history/core/schema";
import { packBinary, unpackBinary } from "@agent-history/format-kit";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { deepFreeze } from "../../deep-freeze.ts";
import { arbitraryDamagedMessages } from "../arbitrary-damaged-messages.ts";
import type { FormatUnderTest } from "../format-under-test.ts";
import { repeatedTexts } from "./repeated-texts.ts";

/** What holds of messages with fields lost, changed and added. */
export function describeDamage(format: FormatUnderTest, runs: number): void {
  const { read, write, knownMessages, strangeMessages } = format;
  const damaged = arbitraryDamagedMessages([...knownMessages, ...strangeMessages].map(packBinary));

  describe("damaged messages", () => {
    it("lose nothing, unknown fields and kinds included, and say nothing twice", () => {
      fc.assert(
        fc.property(damaged, (packed) => {
          const messages = packed.map(unpackBinary);
          const entries = read(messages, { now: () => 0 });

          // Not strictly: a message may have a field that is called `constructor`.
          expect(write(deepFreeze(entries))).toEqual(messages);
          expect(repeatedTexts(messages.map(packBinary), entries)).toEqual([]);
        }),
        { numRuns: runs },
      );
    });

    it("make entries that can be stored", () => {
      fc.assert(
        fc.property(damaged, (packed) => {
          const messages = packed.map(unpackBinary);
          const entries = read(messages, { now: () => 0 });
          const stored: readonly HistoryEntry[] = JSON.parse(JSON.stringify(entries));

          expect(stored.map(parseEntry)).toEqual(entries);
          expect(write(stored.map(parseEntry))).toEqual(messages);
        }),
        { numRuns: runs },
      );
    });
  });
}
