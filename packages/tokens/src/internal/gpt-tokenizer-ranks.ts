import cl100k from "gpt-tokenizer/bpeRanks/cl100k_base";
import o200k from "gpt-tokenizer/bpeRanks/o200k_base";

import { byteString } from "./byte-string.ts";
import type { EncodingName } from "./pre-token-patterns.ts";

/** The tokens by rank: as text, or as bytes where they are not well-formed UTF-8. */
type TokensByRank = readonly (string | readonly number[])[];

const tokensByRank: Readonly<Record<EncodingName, TokensByRank>> = {
  o200k_base: o200k,
  cl100k_base: cl100k,
};

/** Builds the ranks of an encoding, by byte string; a tenth of a second. */
export function gptTokenizerRanks(encoding: EncodingName): ReadonlyMap<string, number> {
  const ranks = new Map<string, number>();
  // `forEach` leaves out the holes of unused ranks.
  tokensByRank[encoding].forEach((token, rank) => {
    // oxlint-disable-next-line house/no-argument-spread -- The longest token has 128 bytes.
    const bytes = typeof token === "string" ? byteString(token) : String.fromCharCode(...token);
    ranks.set(bytes, rank);
  });
  return ranks;
}
