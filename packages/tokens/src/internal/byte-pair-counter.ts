import type { CountLimit } from "@agent-history/core";

import type { AppendableCount } from "../appendable-counter.ts";
import { appendableCount, type SettlingCount } from "./appendable-count.ts";
import { countMerged } from "./count-merged.ts";
import type { RankOf } from "./rank-table.ts";
import { splitPreTokens } from "./split-pre-tokens.ts";

/** Counts the tokens of a bare text. With a limit, what is more than `atMost` may be less than the text's whole count. */
export type CountText = (text: string, limit?: CountLimit) => number;

/** Counts texts of one encoding. */
export interface TextCounter {
  readonly countText: CountText;
  readonly appendable: () => AppendableCount;
}

/** Longer pre-tokens are not words: they rarely come twice, and would fill the memory. In characters. */
const LONGEST_REMEMBERED = 64;

const MOST_REMEMBERED = 100_000;

/** No token of the encodings has more bytes. */
const LONGEST_TOKEN = 128;

/** A text with a limit is counted in pieces of this many characters. */
const PIECE = 4096;

/**
 * Creates a counter that splits by `pattern` and merges by the ranks of tokens.
 *
 * Exact, and close to linear for any text. A pre-token that the engine cannot split (see `splitPreTokens`) counts as
 * its bytes, the upper bound. Words are remembered, at most 100,000 of them.
 */
export function bytePairCounter(pattern: RegExp, rankOf: RankOf): TextCounter {
  const remembered = new Map<string, number>();
  const encoder = new TextEncoder();
  // A character has at most three bytes, a pair of surrogates four.
  const room = new Uint8Array(LONGEST_REMEMBERED * 3);

  function countBytes(bytes: Uint8Array, length: number): number {
    if (rankOf(bytes, 0, length) >= 0) return 1;
    return countMerged(length, (start, end) => rankOf(bytes, start, end));
  }

  function countPreToken(preToken: string): number {
    if (preToken.length > LONGEST_REMEMBERED) {
      const bytes = encoder.encode(preToken);
      return countBytes(bytes, bytes.length);
    }
    const known = remembered.get(preToken);
    if (known !== undefined) return known;
    const count = countBytes(room, encoder.encodeInto(preToken, room).written);
    if (remembered.size >= MOST_REMEMBERED) remembered.clear();
    remembered.set(preToken, count);
    return count;
  }

  function countPieces(preTokens: readonly string[]): number {
    let count = 0;
    for (const preToken of preTokens) count += countPreToken(preToken);
    return count;
  }

  const split = (text: string): readonly string[] | undefined => splitPreTokens(text, pattern);
  const countWhole = (text: string): number => {
    const preTokens = split(text);
    return preTokens === undefined ? encoder.encode(text).length : countPieces(preTokens);
  };
  const appendable = (): SettlingCount => appendableCount({ split, countPieces, countWhole });

  return {
    appendable,
    countText(text, { atMost = Infinity } = {}) {
      const least = Math.ceil(text.length / LONGEST_TOKEN);
      if (least > atMost) return least;
      // A text has no more tokens than bytes.
      if (text.length <= PIECE || text.length * 3 <= atMost) return countWhole(text);
      const count = appendable();
      for (let start = 0; start < text.length; start += PIECE) {
        count.append(text.slice(start, start + PIECE));
        if (count.settledTokens() > atMost) return count.settledTokens();
      }
      return count.tokens();
    },
  };
}
