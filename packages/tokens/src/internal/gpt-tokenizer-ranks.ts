import cl100k from "gpt-tokenizer/bpeRanks/cl100k_base";
import o200k from "gpt-tokenizer/bpeRanks/o200k_base";

import type { EncodingName } from "./pre-tokens.ts";
import type { TokenList } from "./token-ranks.ts";

/** The tokens by rank: as text, or as bytes where they are not well-formed UTF-8. */
type TokensByRank = readonly (string | readonly number[])[];

const tokensByRank: Readonly<Record<EncodingName, TokensByRank>> = {
  o200k_base: o200k,
  cl100k_base: cl100k,
};

/** Returns the tokens of an encoding from the package gpt-tokenizer; nothing else of it is used. */
export function gptTokenizerRanks(encoding: EncodingName): TokenList {
  const encoder = new TextEncoder();
  const bytes: number[] = [];
  const ends: number[] = [];
  // `forEach` leaves out the holes of unused ranks.
  tokensByRank[encoding].forEach((token) => {
    for (const byte of typeof token === "string" ? encoder.encode(token) : token) bytes.push(byte);
    ends.push(bytes.length);
  });
  return { bytes: Uint8Array.from(bytes), ends: Uint32Array.from(ends) };
}
