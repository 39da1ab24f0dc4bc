import type { CountLimit } from "@agent-history/core";

import type { AppendableCount } from "../appendable-counter.ts";
import { appendableCount, type SettlingCount } from "./appendable-count.ts";
import type { CountBytes } from "./count-tokens.ts";
import type { EndOfPreToken } from "./end-of-pre-token.ts";
import { rememberWords } from "./remember-words.ts";
import { settledLength } from "./settled-length.ts";
import { LONGEST_TOKEN } from "./token-table.ts";

/** Counts the tokens of a bare text. With a limit, what is more than `atMost` may be less than the text's whole count. */
export type CountText = (text: string, limit?: CountLimit) => number;

/** Counts texts of one encoding. */
export interface TextCounter {
  readonly countText: CountText;
  readonly appendable: () => AppendableCount;
}

/** A longer text is counted in pieces of this many characters. */
const PIECE = 4096;

/** A UTF-16 code unit has at most three bytes of UTF-8. */
const BYTES_OF_UNIT = 3;

/**
 * Creates a counter that splits a text into pre-tokens and counts the tokens of each.
 *
 * Exact, and close to linear for any text. All work is done on the bytes of UTF-8, without an object for each pre-token.
 */
export function bytePairCounter(
  endOfPreToken: EndOfPreToken,
  countTokens: CountBytes,
): TextCounter {
  const countPreToken = rememberWords(countTokens);
  const encoder = new TextEncoder();
  const room = new Uint8Array(PIECE * 2 * BYTES_OF_UNIT);

  /** Returns the bytes of a text and their number. They are read before the next text is encoded. */
  function encode(text: string): readonly [Uint8Array, number] {
    if (text.length * BYTES_OF_UNIT <= room.length) {
      return [room, encoder.encodeInto(text, room).written];
    }
    const bytes = encoder.encode(text);
    return [bytes, bytes.length];
  }

  function countWhole(text: string): number {
    const [bytes, length] = encode(text);
    let count = 0;
    for (let start = 0, end = 0; start < length; start = end) {
      end = endOfPreToken(bytes, start, length);
      count += countPreToken(bytes, start, end);
    }
    return count;
  }

  function countSettled(text: string): { readonly tokens: number; readonly characters: number } {
    const [bytes, length] = encode(text);
    const settled = settledLength(bytes, length);
    let tokens = 0;
    let start = 0;
    for (;;) {
      const end = endOfPreToken(bytes, start, length);
      if (end > settled) break;
      tokens += countPreToken(bytes, start, end);
      start = end;
    }
    return { tokens, characters: text.length - charactersOf(bytes, start, length) };
  }

  const appendable = (): SettlingCount => appendableCount({ countSettled, countWhole });

  return {
    appendable,
    countText(text, { atMost = Infinity } = {}) {
      const least = Math.ceil(text.length / LONGEST_TOKEN);
      if (least > atMost) return least;
      if (text.length <= PIECE) return countWhole(text);
      const count = appendable();
      for (let start = 0; start < text.length; start += PIECE) {
        count.append(text.slice(start, start + PIECE));
        if (count.settledTokens() > atMost) return count.settledTokens();
      }
      return count.tokens();
    },
  };
}

/** Counts the UTF-16 code units of bytes of UTF-8: one for the first byte of a character, two where it is of four bytes. */
function charactersOf(bytes: Uint8Array, start: number, end: number): number {
  let characters = 0;
  for (let at = start; at < end; at += 1) {
    const byte = bytes[at] ?? 0;
    if ((byte & 0xc0) !== 0x80) characters += byte < 0xf0 ? 1 : 2;
  }
  return characters;
}
