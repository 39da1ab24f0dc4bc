import type { CountLimit } from "@agent-history/core";

import { countMerged } from "./count-merged.ts";
import type { EncodingName } from "./pre-tokens.ts";
import { lastSeam, preTokenPatterns } from "./pre-tokens.ts";
import { LONGEST_TOKEN, rankTable, readTiktokenRanks, type TokenList } from "./token-ranks.ts";

/** Counts the tokens of a bare text. With a limit, a count above `atMost` may be lower than the text's whole count. */
export type CountText = (text: string, limit?: CountLimit) => number;

/** A longer text is counted in pieces. In characters. */
const PIECE = 8192;

/** A longer run without a seam is cut anyway, because regular expressions recurse. In characters. */
const LONGEST_RUN = 2 ** 18;

/** One table for each encoding: a table has megabytes. */
const loaded = new Map<EncodingName, CountText>();

/** Returns the counter of an encoding; `read` returns its ranks as tiktoken writes them, and is called once. */
export function textCounterOf(
  encoding: EncodingName,
  read: (encoding: EncodingName) => string,
): CountText {
  const known =
    loaded.get(encoding) ?? createTextCounter(encoding, readTiktokenRanks(read(encoding)));
  loaded.set(encoding, known);
  return known;
}

function createTextCounter(encoding: EncodingName, tokens: TokenList): CountText {
  const pattern = preTokenPatterns[encoding];
  const rankOf = rankTable(tokens);
  const encoder = new TextEncoder();

  // `encodeInto` takes a quarter of the time of `encode`.
  const room = new Uint8Array(LONGEST_TOKEN * 3);

  function countPreToken(word: string): number {
    if (word.length > LONGEST_TOKEN) return countMerged(encoder.encode(word), rankOf);
    const { written } = encoder.encodeInto(word, room);
    return rankOf(room, 0, written) >= 0 ? 1 : countMerged(room.subarray(0, written), rankOf);
  }

  return (text, { atMost = Infinity } = {}) => {
    const least = Math.ceil(text.length / LONGEST_TOKEN);
    if (least > atMost) return least;
    let count = 0;
    for (let start = 0; start < text.length && count <= atMost;) {
      const { end, isSeam } = endOfPiece(text, start);
      const words = text.slice(start, end).match(pattern) ?? [];
      const open = isSeam || words.length < 2 ? "" : (words.pop() ?? "");
      for (const word of words) count += countPreToken(word);
      start = end - open.length;
    }
    return count;
  };
}

/** Returns the end of the piece that begins at `start`, and whether it is a seam: whether pre-tokens end there in any case. */
function endOfPiece(
  text: string,
  start: number,
): { readonly end: number; readonly isSeam: boolean } {
  for (let length = PIECE, from = start; ; length *= 2) {
    const to = start + length;
    if (to >= text.length) return { end: text.length, isSeam: true };
    const seam = lastSeam(text, from, to);
    if (seam !== undefined) return { end: seam, isSeam: true };
    if (length >= LONGEST_RUN) {
      return { end: isHighSurrogate(text.charCodeAt(to - 1)) ? to - 1 : to, isSeam: false };
    }
    from = to;
  }
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}
