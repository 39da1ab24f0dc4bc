import type { CountBytes } from "./count-tokens.ts";
import { hashOn } from "./token-table.ts";

/** Longer words rarely come twice. In bytes. */
const LONGEST_REMEMBERED = 12;

/** Of two words in one place, the later is remembered. All of them stay in the processor's cache. */
const PLACES = 2 ** 14;

/** A place has four numbers: the bytes of a word in three, its length and its count in one. */
const NUMBERS = 4;

/** Returns a counter that remembers the counts of short words, in a quarter of a megabyte. */
export function rememberWords(count: CountBytes): CountBytes {
  const places = new Int32Array(PLACES * NUMBERS);

  return (bytes, start, end) => {
    const length = end - start;
    if (length > LONGEST_REMEMBERED || start + LONGEST_REMEMBERED > bytes.length) {
      return count(bytes, start, end);
    }
    const one = fourBytesAt(bytes, start, length);
    const two = fourBytesAt(bytes, start + 4, length - 4);
    const three = fourBytesAt(bytes, start + 8, length - 8);
    const place = hashOn(hashOn(hashOn(length, one), two), three) & (PLACES - 1);
    const at = place * NUMBERS;
    const known = places[at + 3] ?? 0;
    const isSame = places[at] === one && places[at + 1] === two && places[at + 2] === three;
    if (isSame && known >> 4 === length) return known & 15;
    const counted = count(bytes, start, end);
    places[at] = one;
    places[at + 1] = two;
    places[at + 2] = three;
    places[at + 3] = (length << 4) | counted;
    return counted;
  };
}

/** Returns four bytes as one number: 0 for those after `length`. */
function fourBytesAt(bytes: Uint8Array, at: number, length: number): number {
  if (length <= 0) return 0;
  const four =
    ((bytes[at] ?? 0) << 24) |
    ((bytes[at + 1] ?? 0) << 16) |
    ((bytes[at + 2] ?? 0) << 8) |
    (bytes[at + 3] ?? 0);
  return length >= 4 ? four : four & (-1 << (32 - length * 8));
}
