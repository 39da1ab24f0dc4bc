import {
  classAt,
  endOfRun,
  LETTERS,
  LOWER,
  MARK,
  NEWLINE,
  NUMBER,
  OTHER,
  SPACE,
  UNCASED,
  UPPER,
  WHITE_SPACE,
  widthAt,
} from "./character-class.ts";
import type { EncodingName } from "./encoding-name.ts";

/** Returns where the pre-token ends that begins at `start` in the UTF-8 of a text of `length` bytes: after `start`. */
export type EndOfPreToken = (bytes: Uint8Array, start: number, length: number) => number;

/**
 * Finds the pre-tokens that byte-pair encoding never merges across, by encoding, as the patterns of tiktoken split a text.
 *
 * Source: `pat_str` of the encoders in tiktoken 1.0.22, which the test has as regular expressions. Each alternative is found here
 * without trying others: what a pattern would give back is known from the classes of characters. Linear time for any text.
 */
export const endsOfPreTokens: Readonly<Record<EncodingName, EndOfPreToken>> = {
  o200k_base(bytes, start, length) {
    const first = classAt(bytes, start);
    if ((first & (LETTERS | MARK)) !== 0) return endOfCasedWord(bytes, start, length);
    if ((first & PREFIXES) !== 0) {
      const prefixed = start + widthAt(bytes, start);
      const end = endOfCasedWord(bytes, prefixed, length);
      if (end > prefixed) return end;
    }
    return endOfOthers(bytes, start, length, SLASH);
  },
  cl100k_base(bytes, start, length) {
    const ending = endOfContraction(bytes, start, length);
    if (ending > start) return ending;
    const isPrefixed = (classAt(bytes, start) & PREFIXES) !== 0;
    const word = isPrefixed ? start + widthAt(bytes, start) : start;
    const end = endOfRun(bytes, word, length, LETTERS);
    return end > word ? end : endOfOthers(bytes, start, length, NEWLINES_ONLY);
  },
};

const NOT_LOWER = UPPER | UNCASED | MARK;
const NOT_UPPER = LOWER | UNCASED | MARK;
const SIGNS = MARK | OTHER;
/** One of these belongs to a word that follows. */
const PREFIXES = SIGNS | SPACE;

const BLANK = 0x20;
/** What follows signs in o200k, as new lines do; in cl100k these do alone. */
const SLASH = 0x2f;
const NEWLINES_ONLY = 0x0a;

const APOSTROPHE = 0x27;
/** The bit that upper-case letters of ASCII lack. */
const LOWER_CASE = 0x20;
const [D, E, L, M, R, S, T, V] = [0x64, 0x65, 0x6c, 0x6d, 0x72, 0x73, 0x74, 0x76] as const;

/**
 * Returns the end of `[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+` or else `[\p{Lu}\p{Lt}]+`, with a contraction; `start` where
 * neither begins there.
 *
 * Where no lower-case letter follows, the first gives back what is upper-case at its end: `ABC` in `漢ABC`.
 */
function endOfCasedWord(bytes: Uint8Array, start: number, length: number): number {
  let at = start;
  let afterUncased = start;
  while (at < length) {
    const found = classAt(bytes, at);
    if (found === LOWER) {
      return endOfContraction(bytes, endOfRun(bytes, at, length, NOT_UPPER), length);
    }
    if ((found & NOT_LOWER) === 0) break;
    at += widthAt(bytes, at);
    if (found !== UPPER) afterUncased = at;
  }
  if (at === start) return start;
  return endOfContraction(bytes, afterUncased > start ? afterUncased : at, length);
}

/** Returns the end of `'(?i:[sdmt]|ll|ve|re)`, in which a long s is an s; `start` where none begins there. */
function endOfContraction(bytes: Uint8Array, start: number, length: number): number {
  if (start + 1 >= length || bytes[start] !== APOSTROPHE) return start;
  const one = (bytes[start + 1] ?? 0) | LOWER_CASE;
  if (one === S || one === D || one === M || one === T) return start + 2;
  if (start + 2 >= length) return start;
  const other = (bytes[start + 2] ?? 0) | LOWER_CASE;
  const isEnding = other === L ? one === L : other === E && (one === V || one === R);
  const isLongS = bytes[start + 1] === 0xc5 && bytes[start + 2] === 0xbf;
  return isEnding || isLongS ? start + 3 : start;
}

/** Returns the end of digits, signs or white space: `\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+`. */
function endOfOthers(bytes: Uint8Array, start: number, length: number, slash: number): number {
  const first = classAt(bytes, start);
  if (first === NUMBER) return endOfDigits(bytes, start, length);
  const signs = bytes[start] === BLANK ? start + 1 : start;
  let at = endOfRun(bytes, signs, length, SIGNS);
  if (at === signs) return endOfWhiteSpace(bytes, start, length);
  while (at < length && (classAt(bytes, at) === NEWLINE || bytes[at] === slash)) at += 1;
  return at;
}

function endOfDigits(bytes: Uint8Array, start: number, length: number): number {
  let at = start;
  for (let digit = 0; digit < 3 && at < length && classAt(bytes, at) === NUMBER; digit += 1) {
    at += widthAt(bytes, at);
  }
  return at;
}

/** All up to the last new line; where there is none, all but the last before something else, which belongs to that. */
function endOfWhiteSpace(bytes: Uint8Array, start: number, length: number): number {
  let at = start;
  let beforeLast = start;
  let afterNewline = start;
  while (at < length) {
    const found = classAt(bytes, at);
    if ((found & WHITE_SPACE) === 0) break;
    beforeLast = at;
    at += widthAt(bytes, at);
    if (found === NEWLINE) afterNewline = at;
  }
  if (afterNewline > start) return afterNewline;
  return at < length && beforeLast > start ? beforeLast : at;
}
