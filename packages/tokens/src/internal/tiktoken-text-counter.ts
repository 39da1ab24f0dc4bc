import { get_encoding, type Tiktoken } from "#tiktoken";

import { bytePairCounter, type CountText } from "./byte-pair-counter.ts";
import { type EncodingName, preTokenPatterns } from "./pre-token-patterns.ts";
import { splitPreTokens } from "./split-pre-tokens.ts";

/** Up to here, in characters, tiktoken's quadratic merge of one pre-token costs no more than the rest of a text. */
const LONGEST_FOR_TIKTOKEN = 256;

/** An encoder takes a tenth of a second to load, and megabytes: there is one of each. */
const loaded = new Map<EncodingName, CountText>();

/**
 * Gives the counter of one encoding on tiktoken (WASM). A text with a long pre-token is merged here instead, over the
 * encoder's own ranks. Special-token text such as `<|endoftext|>` is data.
 */
export function tiktokenTextCounter(encoding: EncodingName): CountText {
  const known = loaded.get(encoding) ?? createTextCounter(encoding);
  loaded.set(encoding, known);
  return known;
}

function createTextCounter(encoding: EncodingName): CountText {
  const encoder = get_encoding(encoding);
  const pattern = preTokenPatterns[encoding];
  let countHostile: CountText | undefined;
  return (text) => {
    if (!hasLongPreToken(text, pattern)) return encoder.encode_ordinary(text).length;
    countHostile ??= bytePairCounter(pattern, readRanks(encoder));
    return countHostile(text);
  };
}

function hasLongPreToken(text: string, pattern: RegExp): boolean {
  if (text.length <= LONGEST_FOR_TIKTOKEN) return false;
  const preTokens = splitPreTokens(text, pattern);
  return preTokens === undefined || preTokens.some(({ length }) => length > LONGEST_FOR_TIKTOKEN);
}

/** Reads the ranks out of the encoder; a quarter of a second, once. */
function readRanks(encoder: Tiktoken): ReadonlyMap<string, number> {
  return new Map(
    encoder.token_byte_values().map((bytes) => [
      // oxlint-disable-next-line house/no-argument-spread -- The longest token has 128 bytes.
      String.fromCharCode(...bytes),
      encoder.encode_single_token(Uint8Array.from(bytes)),
    ]),
  );
}
