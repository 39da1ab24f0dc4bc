import { createMinHeap } from "./min-heap.ts";

/** Returns the rank of the token with the bytes from `start` to before `end`; -1 where there is none. */
export type RankBetween = (start: number, end: number) => number;

/** A key holds rank and place: ranks come first, and places among equal ranks. Both stay below 2^32. */
const DECIMALS = 2 ** 32;

/** No token begins with the part here and ends with the next one. */
const NO_PAIR = -1;

/** Up to here, in bytes, looking at every pair after each merge is faster than keeping them in order. */
const LONGEST_TO_SCAN = 128;

/**
 * Counts the tokens that byte-pair encoding makes of one pre-token of `length` bytes.
 *
 * The neighbors whose union has the lowest rank are merged first, the leftmost of equals, until none make a token: as
 * tiktoken does, which scans all pairs after each merge and so takes quadratic time. Here that is done with words and clauses only; in
 * what is longer, pairs wait in a heap and parts in a linked list: n bytes ask for fewer than 3n ranks and cost O(n log n).
 */
export function countMerged(length: number, rankOf: RankBetween): number {
  return length <= LONGEST_TO_SCAN ? countByScanning(length, rankOf) : countInOrder(length, rankOf);
}

// One word is merged at a time: their starts and the ranks of their pairs with what follows.
const starts = new Int32Array(LONGEST_TO_SCAN + 1);
const pairs = new Int32Array(LONGEST_TO_SCAN + 1);

function countByScanning(length: number, rankOf: RankBetween): number {
  let count = length;
  for (let part = 0; part <= length; part += 1) starts[part] = part;
  const offerPair = (part: number): void => {
    pairs[part] = part + 2 > count ? NO_PAIR : rankOf(starts[part] ?? 0, starts[part + 2] ?? 0);
  };
  for (let part = 0; part < length; part += 1) offerPair(part);
  for (;;) {
    const part = lowestPair(count);
    if (part < 0) return count;
    count -= 1;
    starts.copyWithin(part + 1, part + 2, count + 2);
    pairs.copyWithin(part + 1, part + 2, count + 1);
    offerPair(part);
    if (part > 0) offerPair(part - 1);
  }
}

/** Returns the leftmost of the pairs with the lowest rank; -1 where no pair makes a token. */
function lowestPair(count: number): number {
  let lowest = -1;
  let rank = Infinity;
  for (let part = 0; part < count - 1; part += 1) {
    const found = pairs[part] ?? NO_PAIR;
    if (found !== NO_PAIR && found < rank) {
      rank = found;
      lowest = part;
    }
  }
  return lowest;
}

function countInOrder(end: number, rankOf: RankBetween): number {
  // A part is known by the place of its first byte.
  const nextPart = new Int32Array(end);
  const partBefore = new Int32Array(end + 1);
  const pairRank = new Int32Array(end);
  const waiting = createMinHeap(end * 2);
  const after = (part: number): number => nextPart[part] ?? end;

  function offerPair(part: number): void {
    const second = after(part);
    const rank = second < end ? rankOf(part, after(second)) : NO_PAIR;
    pairRank[part] = rank;
    if (rank !== NO_PAIR) waiting.push(rank * DECIMALS + part);
  }

  for (let part = 0; part < end; part += 1) {
    nextPart[part] = part + 1;
    partBefore[part] = part - 1;
  }
  for (let part = 0; part < end; part += 1) offerPair(part);
  let count = end;
  for (let key = waiting.pop(); key !== undefined; key = waiting.pop()) {
    const part = key % DECIMALS;
    // A pair that has changed since it was offered waits under its new rank too.
    if (pairRank[part] !== Math.floor(key / DECIMALS)) continue;
    const swallowed = after(part);
    pairRank[swallowed] = NO_PAIR;
    nextPart[part] = after(swallowed);
    partBefore[after(swallowed)] = part;
    count -= 1;
    offerPair(part);
    const before = partBefore[part] ?? -1;
    if (before >= 0) offerPair(before);
  }
  return count;
}
