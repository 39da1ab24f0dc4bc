import { classAt, LETTERS, MARK, WHITE_SPACE } from "./character-class.ts";

/** After a word an ending such as `'ll` may follow. In bytes. */
const LONGEST_ENDING = 3;

/**
 * Returns up to where the pre-tokens of a text stay as they are, whatever is appended: those that end there or before.
 *
 * The patterns look past a pre-token by the length of an ending, and else only to where a run of letters or of white
 * space ends (in `漢ABC` a lower-case letter at the end would join all to one pre-token).
 */
export function settledLength(bytes: Uint8Array, length: number): number {
  const last = startOfCharacter(bytes, length - 1);
  const found = classAt(bytes, last);
  const run = [LETTERS | MARK, WHITE_SPACE].find((set) => (found & set) !== 0) ?? 0;
  let at = last;
  while (at > 0 && (classAt(bytes, at) & run) !== 0) at = startOfCharacter(bytes, at - 1);
  return Math.min(at, length - LONGEST_ENDING - 1);
}

/** Returns where the character begins that has a byte at a place. */
function startOfCharacter(bytes: Uint8Array, at: number): number {
  let start = at;
  while (start > 0 && ((bytes[start] ?? 0) & 0xc0) === 0x80) start -= 1;
  return start;
}
