import { lawRuns } from "@agent-history/testkit";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { readEncoder } from "#read-encoder";

import { countMerged } from "./count-merged.ts";
import { rankTable, readTiktokenRanks, type RankOf } from "./token-ranks.ts";

const encoder = new TextEncoder();

describe("countMerged", () => {
  const unit = fc.constantFrom("a", "b", "c");
  const words = fc.oneof(
    fc.string({ unit, minLength: 1, maxLength: 40 }),
    fc.string({ unit, minLength: 500, maxLength: 530, size: "max" }),
  );
  const inAnyOrder = fc.uniqueArray(fc.string({ unit, minLength: 1, maxLength: 6 }), {
    maxLength: 30,
  });

  it.each([
    ["tokens made of those before them", fc.array(fc.tuple(fc.nat(), fc.nat())).map(tokensOf)],
    ["ranks in any order, and bytes that are no tokens", inAnyOrder],
  ])("counts what merging the lowest pair, found by scanning all, leaves over: %s", (_, tables) => {
    fc.assert(
      fc.property(words, tables, (word, tokens) => {
        expect(countMerged(encoder.encode(word), tableOf(tokens))).toBe(
          countByScanning(word, tokens),
        );
      }),
      { numRuns: lawRuns(500) },
    );
  });

  it("asks for at most three ranks for each byte, however long one word is", () => {
    const rankOf = rankTable(readTiktokenRanks(readEncoder("o200k_base")));
    for (const text of ["a", " ", "😀", "ab", "漢字", "-="]) {
      const bytes = encoder.encode(text.repeat(50_000));
      let asked = 0;
      const count = countMerged(bytes, (...given) => {
        asked += 1;
        return rankOf(...given);
      });

      expect(count).toBeLessThan(bytes.length);
      expect({ text, isFew: asked <= 3 * bytes.length }).toEqual({ text, isFew: true });
    }
  });
});

/** As in an encoding: the bytes come first, and each token is made of two before it. */
function tokensOf(pairs: readonly (readonly [number, number])[]): readonly string[] {
  const tokens = ["a", "b", "c"];
  for (const [one, other] of pairs) {
    const token = `${tokens[one % tokens.length]}${tokens[other % tokens.length]}`;
    if (token.length <= 12 && !tokens.includes(token)) tokens.push(token);
  }
  return tokens;
}

/** tiktoken's way: after each merge, all pairs are looked at again. */
function countByScanning(word: string, tokens: readonly string[]): number {
  const ranks = new Map(tokens.map((token, rank) => [token, rank]));
  const parts = Array.from(word);
  for (;;) {
    const unions = parts.slice(1).map((part, at) => ranks.get(`${parts[at]}${part}`) ?? Infinity);
    const lowest = Math.min(...unions);
    if (lowest === Infinity) return parts.length;
    const at = unions.indexOf(lowest);
    parts.splice(at, 2, `${parts[at]}${parts[at + 1]}`);
  }
}

function tableOf(tokens: readonly string[]): RankOf {
  let end = 0;
  const ends = Uint32Array.from(tokens, (token) => (end += token.length));
  return rankTable({ bytes: encoder.encode(tokens.join("")), ends });
}
