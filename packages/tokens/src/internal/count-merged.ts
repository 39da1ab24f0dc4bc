import type { RankOf } from "./token-ranks.ts";

/** A key holds rank and place: ranks come first, and places among equal ranks. Both stay below 2^32. */
const PLACES = 2 ** 32;

const NO_PAIR = -1;

/**
 * Counts the tokens of bytes as byte-pair encoding is defined: the neighbors whose union has the lowest rank are merged first, the
 * leftmost of equals, until none make a token. tiktoken scans all pairs after each merge and so takes quadratic time; here pairs wait
 * in a heap and parts in a linked list: n bytes ask for fewer than 3n ranks and cost O(n log n).
 */
export function countMerged(bytes: Uint8Array, rankOf: RankOf): number {
  const end = bytes.length;
  // A part is known by the place of its first byte.
  const nextPart = new Int32Array(end + 1);
  const partBefore = new Int32Array(end + 1);
  const pairRank = new Int32Array(end + 1);
  const waiting: number[] = [];
  const after = (part: number): number => nextPart[part] ?? end;

  function offerPair(part: number): void {
    const second = after(part);
    const rank = second < end ? rankOf(bytes, part, after(second)) : NO_PAIR;
    pairRank[part] = rank;
    if (rank !== NO_PAIR) push(waiting, rank * PLACES + part);
  }

  for (let part = 0; part < end; part += 1) {
    nextPart[part] = part + 1;
    partBefore[part] = part - 1;
  }
  for (let part = 0; part < end; part += 1) offerPair(part);
  let count = end;
  for (let key = pop(waiting); key !== undefined; key = pop(waiting)) {
    const part = key % PLACES;
    // A pair that has changed since it was offered waits under its new rank too.
    if (pairRank[part] !== Math.floor(key / PLACES)) continue;
    const merged = after(part);
    pairRank[merged] = NO_PAIR;
    nextPart[part] = after(merged);
    partBefore[after(merged)] = part;
    count -= 1;
    offerPair(part);
    const before = partBefore[part] ?? -1;
    if (before >= 0) offerPair(before);
  }
  return count;
}

/** Adds a key to a binary heap. */
function push(heap: number[], key: number): void {
  let index = heap.length;
  heap.push(key);
  while (index > 0) {
    const parent = (index - 1) >> 1;
    const above = heap[parent] ?? 0;
    if (above <= key) break;
    heap[index] = above;
    index = parent;
  }
  heap[index] = key;
}

/** Takes the least key out of a binary heap; `undefined` if it is empty. */
function pop(heap: number[]): number | undefined {
  const least = heap[0];
  const last = heap.pop();
  if (last === undefined || heap.length === 0) return least;
  let index = 0;
  for (;;) {
    const left = index * 2 + 1;
    const child = (heap[left + 1] ?? Infinity) < (heap[left] ?? Infinity) ? left + 1 : left;
    const below = heap[child] ?? Infinity;
    if (below >= last) break;
    heap[index] = below;
    index = child;
  }
  heap[index] = last;
  return least;
}
