/** Returns the rank of the token with the bytes from `start` to before `end`; -1 where there is none. */
export type RankOf = (bytes: Uint8Array, start: number, end: number) => number;

/** Tokens one after another, with the end of each in `bytes`, its rank and its hash. */
export interface TokenList {
  readonly count: number;
  readonly bytes: Uint8Array;
  readonly ends: Uint32Array;
  readonly ranks: Uint32Array;
  readonly hashes: Int32Array;
}

/** The high bits of a hash. Below them is room for the numbers of 262,143 tokens: no encoding of OpenAI's has more. */
const TAG = -(2 ** 18);

/**
 * Finds tokens by their bytes: a hash table in two typed arrays, which is built in a few hundredths of a second and
 * looked into without an allocation.
 */
export function createRankTable(list: TokenList): RankOf {
  const { count, bytes: tokens, ends, ranks, hashes } = list;
  const mask = 2 ** Math.ceil(Math.log2(count + 1) + 1) - 1;
  // What stands in a slot is the number of a token, counted from one, below bits of its hash: what has others is not looked at.
  const slots = new Uint32Array(mask + 1);
  let longest = 0;
  let start = 0;
  for (let token = 0; token < count; token += 1) {
    const end = ends[token] ?? start;
    const hash = hashes[token] ?? 0;
    let slot = hash & mask;
    while (slots[slot] !== 0) slot = (slot + 1) & mask;
    slots[slot] = (hash & TAG) | (token + 1);
    if (end - start > longest) longest = end - start;
    start = end;
  }

  return (bytes, from, to) => {
    const length = to - from;
    if (length > longest) return -1;
    const hash = hashOfBytes(bytes, from, to);
    const tag = hash & TAG;
    for (let slot = hash & mask; ; slot = (slot + 1) & mask) {
      const tagged = slots[slot] ?? 0;
      if (tagged === 0) return -1;
      if ((tagged & TAG) !== tag) continue;
      const found = tagged & ~TAG;
      const end = ends[found - 1] ?? 0;
      const begin = found === 1 ? 0 : (ends[found - 2] ?? 0);
      if (end - begin === length && isSame(tokens, begin, bytes, from, length)) {
        return ranks[found - 1] ?? -1;
      }
    }
  };
}

/** Returns the hash of bytes: of each three of them together, which are four characters in base64; what is missing of the last three is 0. */
export function hashOfBytes(bytes: Uint8Array, start: number, end: number): number {
  let hash = 0;
  let at = start;
  for (; at + 2 < end; at += 3) {
    hash = hashOn(
      hash,
      ((bytes[at] ?? 0) << 16) | ((bytes[at + 1] ?? 0) << 8) | (bytes[at + 2] ?? 0),
    );
  }
  if (at === end) return hash;
  return hashOn(hash, ((bytes[at] ?? 0) << 16) | (at + 1 < end ? (bytes[at + 1] ?? 0) << 8 : 0));
}

/** Returns the hash of what had a hash and goes on by 24 bits: multiplied by the golden ratio, whose high bits are brought down. */
export function hashOn(hash: number, bits: number): number {
  const product = Math.imul(hash ^ bits, 0x9e37_79b1);
  return product ^ (product >>> 15);
}

function isSame(
  one: Uint8Array,
  oneStart: number,
  other: Uint8Array,
  otherStart: number,
  length: number,
): boolean {
  for (let at = 0; at < length; at += 1) {
    if (one[oneStart + at] !== other[otherStart + at]) return false;
  }
  return true;
}
