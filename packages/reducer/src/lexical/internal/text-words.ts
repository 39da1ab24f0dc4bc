/** Scripts without spaces between words; their text is split into pairs of characters. */
const UNSPACED =
  "\\p{Script=Han}\\p{scx=Hiragana}\\p{scx=Katakana}\\p{Script=Hangul}\\p{Script=Thai}\\p{Script=Lao}\\p{Script=Khmer}\\p{Script=Myanmar}";

const BEGINS_UNSPACED = new RegExp(`^[${UNSPACED}]`, "u");

const RUNS = new RegExp(`[${UNSPACED}]+|(?:(?![${UNSPACED}])[\\p{L}\\p{M}\\p{N}])+`, "gu");

/** Longer words are data, identified by their beginning. */
const LONGEST_WORD = 64;

/**
 * Splits a text into words, in order and with repetitions: lower case, English contractions reduced to their first word or written without
 * apostrophe (`she'll` is `she`, `don't` is `dont`). Linear.
 */
export function textWords(text: string): readonly string[] {
  const normal = text
    .normalize("NFKC")
    .toLowerCase()
    .replace(/n['’`]t(?![\p{L}\p{N}])/gu, "nt")
    .replace(/['’`](?:s|ll|d|re|ve|m)(?![\p{L}\p{N}])/gu, "");
  return (normal.match(RUNS) ?? []).flatMap((run) =>
    BEGINS_UNSPACED.test(run) ? pairs(run) : run.slice(0, LONGEST_WORD),
  );
}

function pairs(run: string): readonly string[] {
  const characters = Array.from(run);
  if (characters.length === 1) return characters;
  return characters.slice(1).map((character, index) => `${characters[index]}${character}`);
}
