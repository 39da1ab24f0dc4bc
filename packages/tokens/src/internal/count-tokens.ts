import { countMerged } from "./count-merged.ts";
import { createTokenSeams } from "./token-seams.ts";
import type { TokenTable } from "./token-table.ts";

/** Counts the tokens of the bytes from `start` to before `end`. */
export type CountBytes = (bytes: Uint8Array, start: number, end: number) => number;

/** Longer pre-tokens are merged pair by pair. In bytes. */
const LONGEST_WORD = 512;

/** After more dead ends than this, pairs are merged: a run of one sign would be tried in all its lengths. */
const MOST_DEAD_ENDS = 16;

const NOT_TOLD = -1;

/**
 * Creates a counter of the tokens that byte-pair encoding makes of a pre-token, in time close to linear. A pre-token that is a token is one.
 *
 * Tokens are what merging makes of their bytes if merging makes each of them of its own, and no merge crosses the seam between two
 * neighbors: the first one that did would do so with these two alone. So tokens are taken from the left, the longest first; where
 * one is not separate from the one before, a shorter one is tried, and where none is left, a shorter one before. Source: the crate `bpe` of
 * github/rust-gems. In a table with tokens out of order (see `TokenSeams`), which none of OpenAI's has, and in long pre-tokens pairs are merged one by one.
 */
export function createTokenCounter(table: TokenTable): CountBytes {
  const { isInOrder, areSeparate } = createTokenSeams(table);
  const { find, findLongest, startOf, endOf } = table;
  const lengthOf = (token: number): number => endOf(token) - startOf(token);
  const tokens = new Int32Array(LONGEST_WORD);
  const deadEnds = new Uint8Array(LONGEST_WORD);

  /** Returns `NOT_TOLD` where it comes upon a token out of order, or a byte that is not a token, or upon many dead ends. */
  function countFromLeft(bytes: Uint8Array, start: number, end: number): number {
    // Where no token can begin: each place is left once.
    deadEnds.fill(0);
    let dead = 0;
    let count = 0;
    let at = start;
    /** Where a token may end. */
    let latest = end;
    while (at < end) {
      const token = findLongest(bytes, at, latest);
      if (token >= 0 && !isInOrder(token)) return NOT_TOLD;
      const next = at + lengthOf(token);
      if (token < 0) {
        dead += 1;
        if (count === 0 || dead > MOST_DEAD_ENDS) return NOT_TOLD;
        deadEnds[at - start] = 1;
        count -= 1;
        latest = at - 1;
        at -= lengthOf(tokens[count] ?? 0);
      } else if (
        deadEnds[next - start] !== 1 &&
        (count === 0 || areSeparate(bytes, at, tokens[count - 1] ?? 0, token))
      ) {
        tokens[count] = token;
        count += 1;
        at = next;
        latest = end;
      } else {
        latest = next - 1;
      }
    }
    return count;
  }

  return (bytes, start, end) => {
    if (find(bytes, start, end) >= 0) return 1;
    const count = end - start > LONGEST_WORD ? NOT_TOLD : countFromLeft(bytes, start, end);
    return count === NOT_TOLD ? countMerged(bytes.subarray(start, end), find) : count;
  };
}
