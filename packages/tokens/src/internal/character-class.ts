import { LATER_THAN_UNICODE_16 } from "./later-than-unicode-16.ts";

// What the patterns of pre-tokens tell apart, a bit each: a set of classes is a mask.

/** Upper-case and title-case letters: `\p{Lu}\p{Lt}`. */
export const UPPER = 1;
/** Lower-case letters: `\p{Ll}`. */
export const LOWER = 2;
/** Letters without case: `\p{Lm}\p{Lo}`. */
export const UNCASED = 4;
/** `\p{M}`. */
export const MARK = 8;
/** `\p{N}`. */
export const NUMBER = 16;
/** White space but for `NEWLINE`. */
export const SPACE = 32;
/** `[\r\n]`. */
export const NEWLINE = 64;
/** Anything else. */
export const OTHER = 128;

/** `\p{L}`. */
export const LETTERS: number = UPPER | LOWER | UNCASED;
/** `\p{White_Space}`. */
export const WHITE_SPACE: number = SPACE | NEWLINE;

const classes: readonly (readonly [RegExp, number])[] = [
  [/[\r\n]/, NEWLINE],
  // `\s` of JavaScript has U+FEFF and lacks U+0085.
  [/\p{White_Space}/u, SPACE],
  [/[\p{Lu}\p{Lt}]/u, UPPER],
  [/\p{Ll}/u, LOWER],
  [/[\p{Lm}\p{Lo}]/u, UNCASED],
  [/\p{M}/u, MARK],
  [/\p{N}/u, NUMBER],
];

const newer = new RegExp(LATER_THAN_UNICODE_16, "v");

/** The classes of ASCII by their byte; bytes of other characters have none. */
const asciiClasses: Uint8Array = Uint8Array.from({ length: 256 }, (_, byte) =>
  byte < 0x80 ? classify(byte) : 0,
);

/** The class of each other code point that a text had: 0 where none had it yet. Memory that is not written to costs nothing. */
const known = new Uint8Array(0x11_0000);

/**
 * Returns the class of the character that begins at a place in UTF-8.
 *
 * tiktoken knows Unicode 16: what is newer is neither letter, mark nor number, whatever the engine says.
 */
export function classAt(bytes: Uint8Array, at: number): number {
  const byte = bytes[at] ?? 0;
  if (byte < 0x80) return asciiClasses[byte] ?? 0;
  const codePoint = codePointAt(bytes, at);
  const found = known[codePoint] ?? 0;
  if (found !== 0) return found;
  const learned = newer.test(String.fromCodePoint(codePoint)) ? OTHER : classify(codePoint);
  known[codePoint] = learned;
  return learned;
}

/** Returns where the characters end that are of these classes, in a text of `length` bytes. */
export function endOfRun(bytes: Uint8Array, start: number, length: number, set: number): number {
  let at = start;
  for (;;) {
    // Most runs are of ASCII only: nothing else is asked for there.
    while (at < length && ((asciiClasses[bytes[at] ?? 0] ?? 0) & set) !== 0) at += 1;
    if (at >= length || (bytes[at] ?? 0) < 0x80 || (classAt(bytes, at) & set) === 0) return at;
    at += widthAt(bytes, at);
  }
}

/** Returns how many bytes the character has that begins at a place in UTF-8. */
export function widthAt(bytes: Uint8Array, at: number): number {
  const byte = bytes[at] ?? 0;
  if (byte < 0x80) return 1;
  if (byte < 0xe0) return 2;
  return byte < 0xf0 ? 3 : 4;
}

function codePointAt(bytes: Uint8Array, at: number): number {
  const byte = bytes[at] ?? 0;
  const second = (bytes[at + 1] ?? 0) & 0x3f;
  if (byte < 0xe0) return ((byte & 0x1f) << 6) | second;
  const third = (bytes[at + 2] ?? 0) & 0x3f;
  if (byte < 0xf0) return ((byte & 0x0f) << 12) | (second << 6) | third;
  return ((byte & 0x07) << 18) | (second << 12) | (third << 6) | ((bytes[at + 3] ?? 0) & 0x3f);
}

function classify(codePoint: number): number {
  const character = String.fromCodePoint(codePoint);
  return classes.find(([pattern]) => pattern.test(character))?.[1] ?? OTHER;
}
