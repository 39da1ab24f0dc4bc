/** Scripts that put no spaces between words; their words are taken by pairs of characters. */
const UNSPACED =
  "\\p{Script=Han}\\p{scx=Hiragana}\\p{scx=Katakana}\\p{Script=Hangul}\\p{Script=Thai}\\p{Script=Lao}\\p{Script=Khmer}\\p{Script=Myanmar}";

const BEGINS_UNSPACED = new RegExp(`^[${UNSPACED}]`, "u");

const WORD = `(?:(?![${UNSPACED}])[\\p{L}\\p{M}\\p{N}])+`;

const RUNS = new RegExp(`[${UNSPACED}]+|${WORD}`, "gu");

/** Longer words are data, and their beginning identifies them. */
const LONGEST_WORD = 64;

/**
 * Splits a text into words, repeated as they stand: lower case, English contractions as their first word or without
 * apostrophe (`she'll` is `she`, `don't` is `dont`). Linear.
 */
export function textWords(text: string): readonly string[] {
  const normal = normalText(text);
  const runs = normal.match(isAscii(normal) ? ASCII_WORDS : RUNS) ?? [];
  return runs.flatMap((run) =>
    BEGINS_UNSPACED.test(run) ? pairs(run) : run.slice(0, LONGEST_WORD),
  );
}

const ASCII_WORDS = /[a-z\d]+/g;

function isAscii(text: string): boolean {
  return !/[^\0-\x7f]/.test(text);
}

/** Returns a text in lower case, in the normal form of compatible characters, and without contractions. */
function normalText(text: string): string {
  const normal = isAscii(text) ? text : text.normalize("NFKC");
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

/** What is known of a language: returns the term of a word, or `""` where it says nothing. */
export type Vocabulary = (word: string) => string;

/** A history has some ten thousand words; of more all are forgotten, and asked for again. */
const MOST_TERMS = 100_000;

/** Makes a vocabulary that asks for the stem of each word once. */
export function createVocabulary(
  stem: (word: string) => string,
  stopWords: Iterable<string>,
): Vocabulary {
  const saysNothing = new Set(stopWords);
  const terms = new Map<string, string>();
  return (word) => {
    const known = terms.get(word);
    if (known !== undefined) return known;
    const term = saysNothing.has(word) ? "" : stem(word);
    if (terms.size >= MOST_TERMS) terms.clear();
    terms.set(word, term);
    return term;
  };
}

/** Returns the terms of a text: the stems of those words that say something, repeated as they stand. */
export function textTerms(text: string, vocabulary: Vocabulary): readonly string[] {
  return textWords(text)
    .map(vocabulary)
    .filter((term) => term !== "");
}
