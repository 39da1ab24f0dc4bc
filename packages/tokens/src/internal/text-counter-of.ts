import { bytePairCounter, type TextCounter } from "./byte-pair-counter.ts";
import { createTokenCounter } from "./count-tokens.ts";
import type { EncodingName } from "./encoding-name.ts";
import { endsOfPreTokens } from "./end-of-pre-token.ts";
import { readTiktokenRanks } from "./read-tiktoken-ranks.ts";
import { createTokenTable } from "./token-table.ts";

/** A table holds megabytes: there is one for each encoding, whichever entry of the package asked first. */
const loaded = new Map<EncodingName, TextCounter>();

/** Returns the counter of one encoding on tiktoken's ranks, which `read` gives when they are needed first. */
export function textCounterOf(
  encoding: EncodingName,
  read: (encoding: EncodingName) => string,
): TextCounter {
  const known =
    loaded.get(encoding) ??
    bytePairCounter(
      endsOfPreTokens[encoding],
      createTokenCounter(createTokenTable(readTiktokenRanks(read(encoding)))),
    );
  loaded.set(encoding, known);
  return known;
}
