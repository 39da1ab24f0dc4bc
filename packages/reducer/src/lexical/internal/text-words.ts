/** Scripts that put no spaces between words; their words are taken by pairs of characters. */
const UNSPACED =
  "\\p{Script=Han}\\p{scx=Hiragana}\\p{scx=Katakana}\\p{Script=Hangul}\\p{Script=Thai}\\p{Script=Lao}\\p{Script=Khmer}\\p{Script=Myanmar}";

const BEGINS_UNSPACED = new RegExp(`^[${UNSPACED}]`, "u");

const RUNS = new RegExp(`[${UNSPACED}]+|(?:(?![${UNSPACED}])[\\p{L}\\p{M}\\p{N}])+`, "gu");

/** Longer words are data, and their beginning identifies them. */
export const LONGEST_WORD = 64;

/**
 * Splits a text into words, repeated as they stand: lower case, English contractions as their first word or without
 * apostrophe (`she'll` is `she`, `don't` is `dont`). Linear.
 */
export function textWords(text: string): readonly string[] {
  const plain = plainText(text);
  if (plain !== undefined) {
    return (plain.match(/[a-z0-9]+/g) ?? []).map((run) => run.slice(0, LONGEST_WORD));
  }
  const lower = text.normalize("NFKC").toLowerCase().replace(/[’`]/g, "'");
  return (withoutContractions(lower).match(RUNS) ?? []).flatMap((run) =>
    BEGINS_UNSPACED.test(run) ? pairs(run) : [run.slice(0, LONGEST_WORD)],
  );
}

/**
 * Returns ASCII in lower case and without contractions, where a word is a run of letters and digits; `undefined` for any other text. Most
 * text is ASCII, which is normal as it stands and has spaces between its words: a fraction of the time.
 */
export function plainText(text: string): string | undefined {
  if (!/^\p{ASCII}*$/u.test(text)) return undefined;
  const lower = text.toLowerCase();
  const marked = lower.includes("`") ? lower.replaceAll("`", "'") : lower;
  if (!marked.includes("'")) return marked;
  return marked.replace(/n't(?![a-z0-9])/g, "nt").replace(/'(?:s|ll|d|re|ve|m)(?![a-z0-9])/g, "");
}

function withoutContractions(text: string): string {
  return text
    .replace(/n't(?![\p{L}\p{N}])/gu, "nt")
    .replace(/'(?:s|ll|d|re|ve|m)(?![\p{L}\p{N}])/gu, "");
}

function pairs(run: string): readonly string[] {
  const characters = Array.from(run);
  if (characters.length === 1) return characters;
  return characters.slice(1).map((character, index) => `${characters[index]}${character}`);
}
