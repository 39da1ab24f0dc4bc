import { createMinHeap } from "./min-heap.ts";
import type { FindToken } from "./token-table.ts";

/** A key holds rank and place: ranks come first, and places among equal ranks. Both stay below 2^32. */
const DECIMALS = 2 ** 32;

/** No token begins with the part here and ends with the next one. */
const NO_PAIR = -1;

/**
 * Counts the tokens of bytes as byte-pair encoding is defined: the neighbors whose union has the lowest rank are merged first, the
 * leftmost of equals, until none make a token. tiktoken scans all pairs after each merge and so takes quadratic time; here pairs wait
 * in a heap and parts in a linked list: n bytes ask for fewer than 3n ranks and cost O(n log n).
 */
export function countMerged(bytes: Uint8Array, find: FindToken): number {
  const end = bytes.length;
  // A part is known by the place of its first byte.
  const nextPart = new Int32Array(end);
  const partBefore = new Int32Array(end + 1);
  const pairRank = new Int32Array(end);
  const waiting = createMinHeap(end * 2);
  const after = (part: number): number => nextPart[part] ?? end;

  function offerPair(part: number): void {
    const second = after(part);
    const rank = second < end ? find(bytes, part, after(second)) : NO_PAIR;
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
