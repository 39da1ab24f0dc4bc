/** Scripts that put no spaces between words; their words are taken by pairs of characters. */
const UNSPACED =
  "\\p{Script=Han}\\p{scx=Hiragana}\\p{scx=Katakana}\\p{Script=Hangul}\\p{Script=Thai}\\p{Script=Lao}\\p{Script=Khmer}\\p{Script=Myanmar}";

const BEGINS_UNSPACED = new RegExp(`^[${UNSPACED}]`, "u");

const WORD = `(?:(?![${UNSPACED}])[\\p{L}\\p{M}\\p{N}])+`;

const RUNS = new RegExp(`[${UNSPACED}]+|${WORD}`, "gu");

const ONE_WORD = new RegExp(`^${WORD}$`, "u");

/** Longer words are data, and their beginning identifies them. */
export const LONGEST_WORD = 64;

/**
 * Splits a text into words, repeated as they stand: lower case, English contractions as their first word or without
 * apostrophe (`she'll` is `she`, `don't` is `dont`). Linear.
 */
export function textWords(text: string): readonly string[] {
  return wordsOfNormal(normalText(text));
}

/** Splits a text as `normalText` gives it, or a part between two ASCII characters that belong to no word. */
export function wordsOfNormal(normal: string): readonly string[] {
  return (normal.match(RUNS) ?? []).flatMap((run) =>
    BEGINS_UNSPACED.test(run) ? pairs(run) : [run.slice(0, LONGEST_WORD)],
  );
}

/** Returns whether a part of such a text is one word, of a script that puts spaces between them. */
export function isOneWord(normal: string): boolean {
  return /^[a-z\d]+$/.test(normal) || ONE_WORD.test(normal);
}

/** Returns a text in lower case, in the normal form of compatible characters, and without contractions. ASCII is normal as it stands: a fraction of the time. */
export function normalText(text: string): string {
  const normal = /[^\0-\x7f]/.test(text) ? text.normalize("NFKC") : text;
  const lower = normal.toLowerCase();
  return APOSTROPHES.some((mark) => lower.includes(mark)) ? withoutContractions(lower) : lower;
}

const APOSTROPHES = ["'", "’", "`"];

function withoutContractions(text: string): string {
  return text
    .replace(/n['’`]t(?![\p{L}\p{N}])/gu, "nt")
    .replace(/['’`](?:s|ll|d|re|ve|m)(?![\p{L}\p{N}])/gu, "");
}

function pairs(run: string): readonly string[] {
  const characters = Array.from(run);
  if (characters.length === 1) return characters;
  return characters.slice(1).map((character, index) => `${characters[index]}${character}`);
}
