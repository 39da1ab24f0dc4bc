import cl100k from "gpt-tokenizer/bpeRanks/cl100k_base";
import o200k from "gpt-tokenizer/bpeRanks/o200k_base";

import { bytePairCounter, type TextCounter } from "./byte-pair-counter.ts";
import { createTokenCounter } from "./count-tokens.ts";
import type { EncodingName } from "./encoding-name.ts";
import { endsOfPreTokens } from "./end-of-pre-token.ts";
import { createTokenTable, hashOfBytes, type TokenList } from "./token-table.ts";

/** The tokens by rank: as text, or as bytes where they are not well-formed UTF-8. */
type TokensByRank = readonly (string | readonly number[])[];

const tokensByRank: Readonly<Record<EncodingName, TokensByRank>> = {
  o200k_base: o200k,
  cl100k_base: cl100k,
};

/** No token has more bytes. */
const LONGEST_TOKEN = 128;

/** A table holds megabytes: there is one of each. */
const loaded = new Map<EncodingName, TextCounter>();

/** Returns the counter of one encoding on the ranks of gpt-tokenizer, which lends nothing else. */
export function gptTokenizerTextCounter(encoding: EncodingName): TextCounter {
  const known =
    loaded.get(encoding) ??
    bytePairCounter(
      endsOfPreTokens[encoding],
      createTokenCounter(createTokenTable(tokenList(encoding))),
    );
  loaded.set(encoding, known);
  return known;
}

function tokenList(encoding: EncodingName): TokenList {
  const tokens = tokensByRank[encoding];
  const encoder = new TextEncoder();
  let bytes = new Uint8Array(tokens.length * 8);
  const ends = new Uint32Array(tokens.length);
  const hashes = new Int32Array(tokens.length);
  let count = 0;
  let length = 0;
  // `forEach` leaves out the holes of unused ranks.
  tokens.forEach((token) => {
    const start = length;
    if (length + LONGEST_TOKEN > bytes.length) {
      const longer = new Uint8Array(bytes.length * 2);
      longer.set(bytes);
      bytes = longer;
    }
    if (typeof token === "string") {
      length += encoder.encodeInto(token, bytes.subarray(length)).written;
    } else {
      bytes.set(token, length);
      length += token.length;
    }
    ends[count] = length;
    hashes[count] = hashOfBytes(bytes, start, length);
    count += 1;
  });
  return { count, bytes, ends, hashes };
}
