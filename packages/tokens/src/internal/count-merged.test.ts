import { lawRuns } from "@agent-history/testkit";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { readEncoder } from "#read-encoder";

import { countMerged } from "./count-merged.ts";
import { createRankTable } from "./rank-table.ts";
import { readTiktokenRanks } from "./read-tiktoken-ranks.ts";

describe("countMerged", () => {
  it("counts what merging the lowest pair, found by scanning all, leaves over", () => {
    const unit = fc.constantFrom("a", "b", "c");
    // Up to 128 bytes are merged by scanning, what is longer in order.
    const bytes = fc.oneof(
      fc.string({ unit, maxLength: 40 }),
      fc.string({ unit, minLength: 100, maxLength: 160, size: "max" }),
    );
    const tokens = fc.string({ unit, minLength: 1, maxLength: 5 });
    // Ranks in any order: a union may come before its parts, and two pairs may be equal.
    const ranks = fc.dictionary(tokens, fc.nat(12), { maxKeys: 30 });
    fc.assert(
      fc.property(bytes, ranks, (text, table) => {
        const rankOf = (start: number, end: number): number => table[text.slice(start, end)] ?? -1;
        expect(countMerged(text.length, rankOf)).toBe(countByScanning(text, table));
      }),
      { numRuns: lawRuns(2000) },
    );
  });

  it("counts no bytes as no tokens", () => {
    expect(countMerged(0, () => -1)).toBe(0);
  });

  it("asks for fewer than three ranks a byte, however long one word is", () => {
    const rankOf = createRankTable(readTiktokenRanks(readEncoder("o200k_base")));
    for (const unit of ["a", " ", "😀"]) {
      const bytes = new TextEncoder().encode(unit.repeat(100_000));
      let asked = 0;
      const count = countMerged(bytes.length, (start, end) => {
        asked += 1;
        return rankOf(bytes, start, end);
      });

      expect({ unit, asked: asked < 3 * bytes.length }).toEqual({ unit, asked: true });
      expect(count).toBeLessThan(bytes.length);
    }
  });
});

/** tiktoken's way: after each merge, all pairs are looked at again. */
function countByScanning(bytes: string, table: Readonly<Record<string, number>>): number {
  const parts = Array.from(bytes);
  for (;;) {
    const ranks = parts.slice(1).map((part, index) => table[`${parts[index]}${part}`] ?? Infinity);
    const lowest = Math.min(...ranks);
    if (lowest === Infinity) return parts.length;
    const entryIndex = ranks.indexOf(lowest);
    parts.splice(entryIndex, 2, `${parts[entryIndex]}${parts[entryIndex + 1]}`);
  }
}
