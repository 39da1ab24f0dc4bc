import { lawRuns } from "@agent-history/testkit";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { byteString } from "./byte-string.ts";
import { countMerged, type RankOf } from "./count-merged.ts";
import { gptTokenizerRanks } from "./gpt-tokenizer-ranks.ts";

describe("countMerged", () => {
  it("counts what merging the lowest pair, found by scanning all, leaves over", () => {
    const bytes = fc.string({ unit: fc.constantFrom("a", "b", "c"), maxLength: 24 });
    const tokens = fc.string({ unit: fc.constantFrom("a", "b", "c"), minLength: 1, maxLength: 5 });
    // Ranks in any order: a union may come before its parts, and two pairs may be equal.
    const ranks = fc.dictionary(tokens, fc.nat(12), { maxKeys: 30 });
    fc.assert(
      fc.property(bytes, ranks, (text, table) => {
        const rankOf: RankOf = (token) => table[token];
        expect(countMerged(text, rankOf)).toBe(countByScanning(text, rankOf));
      }),
      { numRuns: lawRuns(2000) },
    );
  });

  it("counts no bytes as no tokens", () => {
    expect(countMerged("", () => undefined)).toBe(0);
  });

  it("asks for fewer than three ranks a byte, however long one word is", () => {
    const ranks = gptTokenizerRanks("o200k_base");
    for (const unit of ["a", " ", byteString("😀")]) {
      const bytes = unit.repeat(200_000 / unit.length);
      let asked = 0;
      const count = countMerged(bytes, (token) => {
        asked += 1;
        return ranks.get(token);
      });

      expect({ unit, asked: asked < 3 * bytes.length }).toEqual({ unit, asked: true });
      expect(count).toBeLessThan(bytes.length);
    }
  });
});

/** tiktoken's way: after each merge, all pairs are looked at again. */
function countByScanning(bytes: string, rankOf: RankOf): number {
  const parts = Array.from(bytes);
  for (;;) {
    const ranks = parts.slice(1).map((part, index) => rankOf(`${parts[index]}${part}`) ?? Infinity);
    const lowest = Math.min(...ranks);
    if (lowest === Infinity) return parts.length;
    const place = ranks.indexOf(lowest);
    parts.splice(place, 2, `${parts[place]}${parts[place + 1]}`);
  }
}
