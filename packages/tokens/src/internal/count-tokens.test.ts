import { lawRuns } from "@agent-history/testkit";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { readEncoder } from "#read-encoder";

import { countMerged } from "./count-merged.ts";
import { createTokenCounter } from "./count-tokens.ts";
import type { EncodingName } from "./encoding-name.ts";
import { readTiktokenRanks } from "./read-tiktoken-ranks.ts";
import { createTokenSeams } from "./token-seams.ts";
import { createTokenTable, hashOfBytes, type TokenList } from "./token-table.ts";

const encodings = ["o200k_base", "cl100k_base"] as const satisfies readonly EncodingName[];

const encoder = new TextEncoder();

describe("createTokenCounter", () => {
  const unit = fc.constantFrom("a", "b", "c");
  const words = fc.oneof(
    fc.string({ unit, minLength: 1, maxLength: 40 }),
    // What is longer than 512 bytes is merged pair by pair.
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
        const bytes = encoder.encode(word);
        const count = createTokenCounter(createTokenTable(listOf(tokens)));
        expect(count(bytes, 0, bytes.length)).toBe(countByScanning(word, tokens));
      }),
      { numRuns: lawRuns(2000) },
    );
  });

  it.each(encodings)("counts so on the ranks of %s, where no token is out of order", (encoding) => {
    const table = createTokenTable(readTiktokenRanks(readEncoder(encoding)));
    const count = createTokenCounter(table);
    const { isInOrder } = createTokenSeams(table);
    const outOfOrder = Array.from({ length: table.count }, (_, token) => token).filter(
      (token) => !isInOrder(token),
    );
    expect(outOfOrder).toEqual([]);

    const parts = fc.oneof(
      fc
        .nat(table.count - 1)
        .map((token) => table.bytes.slice(table.startOf(token), table.endOf(token))),
      fc.uint8Array({ maxLength: 8 }),
      fc
        .constantFrom("a", "ab", " ", "\n", "漢", "😀", "的的", "======", "aaaaaaaa")
        .map((text) => encoder.encode(text)),
    );
    fc.assert(
      fc.property(fc.array(parts, { minLength: 1, maxLength: 12 }), (list) => {
        const bytes = Uint8Array.from(list.flatMap((part) => [...part]));
        const isToken = table.find(bytes, 0, bytes.length) >= 0;
        const merged = isToken ? 1 : countMerged(bytes, table.find);
        expect(count(bytes, 0, bytes.length)).toBe(merged);
      }),
      { numRuns: lawRuns(2000) },
    );
  });

  it("looks a few times for a token at each byte, however long one word is", () => {
    const table = createTokenTable(readTiktokenRanks(readEncoder("o200k_base")));
    let asked = 0;
    const count = createTokenCounter({
      ...table,
      find(...given) {
        asked += 1;
        return table.find(...given);
      },
    });
    for (const text of ["a", " ", "😀", "ab", "漢字", "-="]) {
      const bytes = encoder.encode(text.repeat(50_000));
      asked = 0;

      expect(count(bytes, 0, bytes.length)).toBeLessThan(bytes.length);
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

/** tiktoken's way. After each merge, all pairs are looked at again. What is a token is not merged. */
function countByScanning(word: string, tokens: readonly string[]): number {
  const ranks = new Map(tokens.map((token, rank) => [token, rank]));
  if (ranks.has(word)) return 1;
  const parts = Array.from(word);
  for (;;) {
    const unions = parts.slice(1).map((part, at) => ranks.get(`${parts[at]}${part}`) ?? Infinity);
    const lowest = Math.min(...unions);
    if (lowest === Infinity) return parts.length;
    const at = unions.indexOf(lowest);
    parts.splice(at, 2, `${parts[at]}${parts[at + 1]}`);
  }
}

function listOf(tokens: readonly string[]): TokenList {
  const bytes = encoder.encode(tokens.join(""));
  let end = 0;
  const ends = Uint32Array.from(tokens, (token) => (end += token.length));
  const hashes = Int32Array.from(tokens, (token, at) => {
    const after = ends[at] ?? 0;
    return hashOfBytes(bytes, after - token.length, after);
  });
  return { count: tokens.length, bytes, ends, hashes };
}
