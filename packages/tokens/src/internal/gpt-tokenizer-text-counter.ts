import { bytePairCounter, type CountText } from "./byte-pair-counter.ts";
import { gptTokenizerRanks } from "./gpt-tokenizer-ranks.ts";
import { type EncodingName, preTokenPatterns } from "./pre-token-patterns.ts";

/** A rank table holds megabytes: there is one of each. */
const loaded = new Map<EncodingName, CountText>();

/**
 * Gives the counter of one encoding on the ranks of gpt-tokenizer, in pure JavaScript.
 *
 * The library's own encoder drops byte-order marks, takes quadratic time for one long pre-token, and has a later
 * pattern for cl100k_base that reads white space at the end of a text otherwise: so it lends its ranks only.
 */
export function gptTokenizerTextCounter(encoding: EncodingName): CountText {
  const known =
    loaded.get(encoding) ??
    bytePairCounter(preTokenPatterns[encoding], gptTokenizerRanks(encoding));
  loaded.set(encoding, known);
  return known;
}
