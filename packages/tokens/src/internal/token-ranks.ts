/** The bytes of all tokens in the order of their ranks, and where each ends. */
export interface TokenList {
  readonly bytes: Uint8Array;
  readonly ends: Uint32Array;
}

/** Returns the rank of the token of the bytes between two places; -1 if it is no token. */
export type RankOf = (bytes: Uint8Array, start: number, end: number) => number;

/** No token of the encodings has more bytes. */
export const LONGEST_TOKEN = 128;

/** The high bits of a hash, kept beside a token's number to tell most others without reading their bytes. */
const TAG = -(2 ** 18);

/** Creates a hash table of tokens in typed arrays: it is built in a few hundredths of a second, a `Map` of strings in two tenths. */
export function rankTable({ bytes: tokens, ends }: TokenList): RankOf {
  const mask = 2 ** Math.ceil(Math.log2(ends.length + 1) + 1) - 1;
  const slots = new Uint32Array(mask + 1);
  let start = 0;
  for (let token = 0; token < ends.length; token += 1) {
    const end = ends[token] ?? 0;
    const hash = hashOf(tokens, start, end);
    let slot = hash & mask;
    while (slots[slot] !== 0) slot = (slot + 1) & mask;
    slots[slot] = (hash & TAG) | (token + 1);
    start = end;
  }

  function isToken(token: number, bytes: Uint8Array, from: number, to: number): boolean {
    const begin = token === 0 ? 0 : (ends[token - 1] ?? 0);
    if ((ends[token] ?? 0) - begin !== to - from) return false;
    for (let at = from; at < to; at += 1) {
      if (tokens[begin + at - from] !== bytes[at]) return false;
    }
    return true;
  }

  return (bytes, from, to) => {
    if (to - from > LONGEST_TOKEN) return -1;
    const hash = hashOf(bytes, from, to);
    for (let slot = hash & mask; ; slot = (slot + 1) & mask) {
      const found = slots[slot] ?? 0;
      if (found === 0) return -1;
      if (((found ^ hash) & TAG) !== 0) continue;
      const token = (found & ~TAG) - 1;
      if (isToken(token, bytes, from, to)) return token;
    }
  };
}

/** Reads tiktoken's `bpe_ranks`: lines of `!`, the rank of the first token, and tokens in base64, whose ranks follow one another. */
export function readTiktokenRanks(text: string): TokenList {
  const [SPACE, NEWLINE, PADDING] = [32, 10, 61];
  const written = new TextEncoder().encode(text);
  const bytes = new Uint8Array(written.length);
  const ends = new Uint32Array(written.length / 5);
  let count = 0;
  let length = 0;
  for (let at = 0; at < written.length; at += 1) {
    // Skip the mark and the first rank of a line.
    at = written.indexOf(SPACE, written.indexOf(SPACE, at) + 1);
    while (at < written.length && written[at] !== NEWLINE) {
      for (at += 1; (written[at] ?? 0) > SPACE; at += 4) {
        const bits =
          (sextets[written[at] ?? 0] ?? 0) * 2 ** 18 +
          (sextets[written[at + 1] ?? 0] ?? 0) * 2 ** 12 +
          (sextets[written[at + 2] ?? 0] ?? 0) * 2 ** 6 +
          (sextets[written[at + 3] ?? 0] ?? 0);
        bytes[length] = bits >> 16;
        bytes[length + 1] = bits >> 8;
        bytes[length + 2] = bits;
        length += 3;
      }
      if (written[at - 1] === PADDING) length -= written[at - 2] === PADDING ? 2 : 1;
      ends[count] = length;
      count += 1;
    }
  }
  return { bytes: bytes.slice(0, length), ends: ends.slice(0, count) };
}

/** The value of each character of base64, by character code. */
const sextets = new Uint8Array(128);
Array.from("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/").forEach(
  (character, value) => (sextets[character.charCodeAt(0)] = value),
);

function hashOf(bytes: Uint8Array, start: number, end: number): number {
  let hash = 0;
  for (let at = start; at < end; at += 1) {
    hash = Math.imul(hash ^ (bytes[at] ?? 0), 0x9e37_79b1);
    hash ^= hash >>> 15;
  }
  return hash;
}
