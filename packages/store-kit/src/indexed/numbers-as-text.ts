/**
 * Writes counts as text: five bits a character, the sixth says that more follow (the base-64 numbers of source maps, without a
 * sign). Small counts take one character.
 */
export function countAsText(count: number): string {
  let text = "";
  let rest = count;
  while (rest > 31) {
    text += DIGITS.charAt(32 + (rest % 32));
    rest = Math.floor(rest / 32);
  }
  return text + DIGITS.charAt(rest);
}

/** Reads a text of counts. What is no digit ends it. */
export function countsOfText(text: string): readonly number[] {
  const counts: number[] = [];
  let count = 0;
  let unit = 1;
  for (let index = 0; index < text.length; index += 1) {
    const digit = VALUES[text.charCodeAt(index)];
    if (digit === undefined) break;
    count += (digit % 32) * unit;
    unit *= 32;
    if (digit > 31) continue;
    counts.push(count);
    count = 0;
    unit = 1;
  }
  return counts;
}

/** Folds the signed into counts: 0, -1, 1, -2, 2. */
export function signedAsCount(number: number): number {
  return number < 0 ? -2 * number - 1 : 2 * number;
}

/** Undoes `signedAsCount`. */
export function countAsSigned(count: number): number {
  return count % 2 === 1 ? -(count + 1) / 2 : count / 2;
}

const DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
const VALUES: readonly (number | undefined)[] = Array.from({ length: 128 }, (_, code) => {
  const value = DIGITS.indexOf(String.fromCharCode(code));
  return value < 0 ? undefined : value;
});
