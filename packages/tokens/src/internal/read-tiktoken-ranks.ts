import { hashOn } from "./token-table.ts";
import type { TokenList } from "./token-table.ts";

const SPACE = 32;
const NEWLINE = 10;
const PADDING = 61;

/** The value of each character of base64, by character code. */
const sextets = base64Sextets();

/**
 * Reads the ranks of a tiktoken encoder (`bpe_ranks`): lines of `!`, the rank of the first token, and tokens in base64, whose ranks
 * follow one another. Read as bytes and hashed in one pass, since 200,000 texts would take ten times as long.
 */
export function readTiktokenRanks(text: string): TokenList {
  const written = new TextEncoder().encode(text);
  // Padding is written as bytes, and then written over.
  const bytes = new Uint8Array(Math.ceil((written.length * 3) / 4) + 3);
  // The shortest token is written in four characters and a space.
  const ends = new Uint32Array(Math.ceil(written.length / 5));
  const hashes = new Int32Array(ends.length);
  let count = 0;
  let length = 0;
  let at = 0;
  while (at < written.length) {
    at = written.indexOf(SPACE, at) + 1;
    at = written.indexOf(SPACE, at);
    while (written[at] === SPACE) {
      at += 1;
      let hash = 0;
      for (let code = written[at]; code !== undefined && code > SPACE; code = written[at]) {
        const bits =
          (sextet(code) << 18) |
          (sextet(written[at + 1]) << 12) |
          (sextet(written[at + 2]) << 6) |
          sextet(written[at + 3]);
        bytes[length] = bits >> 16;
        bytes[length + 1] = bits >> 8;
        bytes[length + 2] = bits;
        hash = hashOn(hash, bits);
        length += 3;
        at += 4;
      }
      if (written[at - 1] === PADDING) length -= written[at - 2] === PADDING ? 2 : 1;
      ends[count] = length;
      hashes[count] = hash;
      count += 1;
    }
    if (written[at] === NEWLINE) at += 1;
  }
  return { count, bytes, ends, hashes };
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
