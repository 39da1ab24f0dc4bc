/** Tokens one after another in the order of their ranks, with the end of each in `bytes`, and its hash. */
export interface TokenList {
  readonly count: number;
  readonly bytes: Uint8Array;
  readonly ends: Uint32Array;
  readonly hashes: Int32Array;
}

/** Returns a token of the bytes between two places; -1 where there is none. */
export type FindToken = (bytes: Uint8Array, start: number, end: number) => number;

/** Finds tokens, which are known by their place in the order of ranks. */
export interface TokenTable {
  readonly count: number;
  /** The bytes of all tokens: those of one from `startOf` to before `endOf`. */
  readonly bytes: Uint8Array;
  readonly startOf: (token: number) => number;
  readonly endOf: (token: number) => number;
  /** Returns the token with the bytes from `start` to before `end`. */
  readonly find: FindToken;
  /** Returns the longest token that begins at `start` and ends at `end` or before. */
  readonly findLongest: FindToken;
}

/** The high bits of a hash. Below them is room for the numbers of 262,143 tokens: no encoding of OpenAI's has more. */
const TAG = -(2 ** 18);

/** No token of the encodings has more bytes. */
export const LONGEST_TOKEN = 128;

/**
 * Creates a hash table of tokens in typed arrays, which is built in a few hundredths of a second and looked into without an
 * allocation.
 */
export function createTokenTable(list: TokenList): TokenTable {
  const { count, bytes: tokens, ends, hashes } = list;
  const mask = 2 ** Math.ceil(Math.log2(count + 1) + 1) - 1;
  // What stands in a slot is the number of a token, counted from one, below bits of its hash: what has others is not looked at.
  const slots = new Uint32Array(mask + 1);
  // A bit for the high bits of each hash. It stays in the processor's cache, and tells nine of ten that are no token.
  const filter = new Int32Array(2 ** 16);
  // How many bytes the longest token has that begins with these three, by a hash of them. One or two are a token whatever follows.
  const longest = new Uint8Array(2 ** 16).fill(2);

  const startOf = (token: number): number => (token === 0 ? 0 : (ends[token - 1] ?? 0));
  const endOf = (token: number): number => ends[token] ?? 0;

  let begin = 0;
  for (let token = 0; token < count; token += 1) {
    const end = ends[token] ?? 0;
    const hash = hashes[token] ?? 0;
    let slot = hash & mask;
    while (slots[slot] !== 0) slot = (slot + 1) & mask;
    slots[slot] = (hash & TAG) | (token + 1);
    filter[hash >>> 16] = (filter[hash >>> 16] ?? 0) | (1 << (hash >>> 11));
    const beginning = beginningAt(tokens, begin);
    if (end - begin > (longest[beginning] ?? 0)) longest[beginning] = end - begin;
    begin = end;
  }

  function findByHash(hash: number, bytes: Uint8Array, from: number, length: number): number {
    if (((filter[hash >>> 16] ?? 0) & (1 << (hash >>> 11))) === 0) return -1;
    const tag = hash & TAG;
    for (let slot = hash & mask; ; slot = (slot + 1) & mask) {
      const tagged = slots[slot] ?? 0;
      if (tagged === 0) return -1;
      if ((tagged & TAG) !== tag) continue;
      const token = (tagged & ~TAG) - 1;
      const start = startOf(token);
      if (endOf(token) - start === length && isSame(tokens, start, bytes, from, length)) {
        return token;
      }
    }
  }

  return {
    count,
    bytes: tokens,
    startOf,
    endOf,
    find(bytes, start, end) {
      return end - start > LONGEST_TOKEN
        ? -1
        : findByHash(hashOfBytes(bytes, start, end), bytes, start, end - start);
    },
    findLongest(bytes, start, end) {
      const most = Math.min(end - start, longest[beginningAt(bytes, start)] ?? 0);
      hashPrefixes(bytes, start, most);
      for (let length = most; length > 0; length -= 1) {
        const token = findByHash(prefixes[length] ?? 0, bytes, start, length);
        if (token >= 0) return token;
      }
      return -1;
    },
  };
}

// The hashes of the first bytes of a text, by their number.
const prefixes = new Int32Array(LONGEST_TOKEN + 3);

function hashPrefixes(bytes: Uint8Array, start: number, length: number): void {
  let hash = 0;
  for (let at = 0; at < length; at += 3) {
    const one = (bytes[start + at] ?? 0) << 16;
    const two = one | ((bytes[start + at + 1] ?? 0) << 8);
    prefixes[at + 1] = hashOn(hash, one);
    prefixes[at + 2] = hashOn(hash, two);
    hash = hashOn(hash, two | (bytes[start + at + 2] ?? 0));
    prefixes[at + 3] = hash;
  }
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

/** Returns 16 bits that tell three bytes from most others. */
function beginningAt(bytes: Uint8Array, at: number): number {
  const three = ((bytes[at] ?? 0) << 16) | ((bytes[at + 1] ?? 0) << 8) | (bytes[at + 2] ?? 0);
  return hashOn(0, three) >>> 16;
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
