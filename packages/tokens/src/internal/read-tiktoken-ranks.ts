import type { TokenList } from "./rank-table.ts";

const SPACE = 32;
const NEWLINE = 10;
const PADDING = 61;

/** The value of each character of base64, by character code. */
const sextets = base64Sextets();

/**
 * Reads the ranks of a tiktoken encoder (`bpe_ranks`): lines of `!`, the rank of the first token, and tokens in base64, whose ranks
 * follow one another. Read as bytes in one pass, since 200,000 texts would take ten times as long.
 */
export function readTiktokenRanks(text: string): TokenList {
  const written = new TextEncoder().encode(text);
  const bytes = new Uint8Array(Math.ceil((written.length * 3) / 4));
  // The shortest token is written in four characters and a space.
  const ends = new Uint32Array(Math.ceil(written.length / 5));
  const ranks = new Uint32Array(ends.length);
  let count = 0;
  let length = 0;
  let at = 0;
  while (at < written.length) {
    at = written.indexOf(SPACE, at) + 1;
    const afterRank = written.indexOf(SPACE, at);
    let rank = Number(text.slice(at, afterRank));
    at = afterRank;
    while (written[at] === SPACE) {
      at += 1;
      for (let code = written[at]; code !== undefined && code > SPACE; code = written[at]) {
        length = decode(written, at, bytes, length);
        at += 4;
      }
      ends[count] = length;
      ranks[count] = rank;
      count += 1;
      rank += 1;
    }
    if (written[at] === NEWLINE) at += 1;
  }
  return { count, bytes, ends, ranks };
}

/** Decodes four characters. Returns where the next byte goes. */
function decode(from: Uint8Array, at: number, to: Uint8Array, length: number): number {
  const second = sextet(from[at + 1]);
  const third = sextet(from[at + 2]);
  to[length] = (sextet(from[at]) << 2) | (second >> 4);
  if (from[at + 2] === PADDING) return length + 1;
  to[length + 1] = ((second & 15) << 4) | (third >> 2);
  if (from[at + 3] === PADDING) return length + 2;
  to[length + 2] = ((third & 3) << 6) | sextet(from[at + 3]);
  return length + 3;
}

function sextet(code: number | undefined): number {
  return sextets[code ?? 0] ?? 0;
}

function base64Sextets(): Uint8Array {
  const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const table = new Uint8Array(128);
  for (let value = 0; value < alphabet.length; value += 1)
    table[alphabet.charCodeAt(value)] = value;
  return table;
}
