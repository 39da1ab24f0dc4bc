/** Scripts that put no spaces between words; their words are taken by pairs of characters. */
const UNSPACED =
  "\\p{Script=Han}\\p{scx=Hiragana}\\p{scx=Katakana}\\p{Script=Hangul}\\p{Script=Thai}\\p{Script=Lao}\\p{Script=Khmer}\\p{Script=Myanmar}";

const BEGINS_UNSPACED = new RegExp(`^[${UNSPACED}]`, "u");

const WORD = `(?:(?![${UNSPACED}])[\\p{L}\\p{M}\\p{N}])+`;

const RUNS = new RegExp(`[${UNSPACED}]+|${WORD}`, "gu");

const ONE_WORD = new RegExp(`^${WORD}$`, "u");

/** Longer words are data, and their beginning identifies them. */
const LONGEST_WORD = 64;

/**
 * Splits a text into words, repeated as they stand: lower case, English contractions as their first word or without
 * apostrophe (`she'll` is `she`, `don't` is `dont`). Linear.
 */
export function textWords(text: string): readonly string[] {
  return wordsOfNormal(normalText(text));
}

/** Splits a text as `normalText` gives it, or a part between two ASCII characters that belong to no word. */
function wordsOfNormal(normal: string): readonly string[] {
  return (normal.match(RUNS) ?? []).flatMap((run) =>
    BEGINS_UNSPACED.test(run) ? pairs(run) : [run.slice(0, LONGEST_WORD)],
  );
}

/** Returns whether a part of such a text is one word, of a script that puts spaces between them. */
function isOneWord(normal: string): boolean {
  return /^[a-z\d]+$/.test(normal) || ONE_WORD.test(normal);
}

/** Returns a text in lower case, in the normal form of compatible characters, and without contractions. ASCII is normal as it stands: a fraction of the time. @internal Exported for its test. */
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

/** The words met so far, by their hashes, with linear probing: a word that is known is recognized without making a string of it. */
interface WordTable {
  hashes: Int32Array;
  words: string[];
  terms: string[];
  size: number;
}

const FEWEST_SLOTS = 4096;

/** A history has some ten thousand words; of more all are forgotten, and asked for again. */
const MOST_WORDS = 100_000;

/** Text written to have words of one hash looks at this many slots for each, and is then asked for word by word. */
const MOST_PROBES = 32;

/** Makes a function that gives the terms of a text as `normalText` gives it, repeated as they stand; words without a term are left out. Linear. @internal Exported for its test. */
export function normalTermsBy(
  termOf: (word: string) => string,
): (normal: string) => readonly string[] {
  let table = emptyTable(FEWEST_SLOTS);

  /** Nothing where the run is no word. */
  const find = (normal: string, start: number, end: number, hash: number): string | undefined => {
    const { hashes, words, terms } = table;
    const mask = hashes.length - 1;
    let free: number | undefined;
    for (let probe = 0; probe < MOST_PROBES; probe++) {
      const slot = (hash + probe) & mask;
      const known = words[slot] ?? "";
      if (known === "") {
        free = slot;
        break;
      }
      const isSame = hashes[slot] === hash && known.length === end - start;
      if (isSame && normal.startsWith(known, start)) return terms[slot] ?? "";
    }
    const word = normal.slice(start, end);
    if (!isOneWord(word)) return undefined;
    return free === undefined ? termOf(word) : learn(word, hash, free);
  };

  const learn = (word: string, hash: number, slot: number): string => {
    const term = termOf(word);
    put(table, slot, { hash, word, term });
    if (table.size >= MOST_WORDS) table = emptyTable(FEWEST_SLOTS);
    else if (table.size * 2 >= table.hashes.length) table = grown(table);
    return term;
  };

  return (normal) => {
    const terms: string[] = [];
    for (let start = 0; start < normal.length; start++) {
      if (!isOfRun(normal.charCodeAt(start))) continue;
      let hash = 0;
      let end = start;
      let codes = 0;
      // Only the beginning of a long run is hashed, and all of it is passed over.
      for (; end < normal.length; end++) {
        const code = normal.charCodeAt(end);
        if (!isOfRun(code)) break;
        codes |= code;
        if (end - start < LONGEST_WORD) hash = (Math.imul(hash, 31) + code) | 0;
      }
      // Of a long run that is ASCII the beginning is its one word.
      const cut = codes < 128 ? Math.min(end, start + LONGEST_WORD) : end;
      const isShort = cut - start <= LONGEST_WORD;
      const term = isShort ? find(normal, start, cut, hash ^ (hash >>> 15)) : undefined;
      if (term === undefined) {
        for (const word of wordsOfNormal(normal.slice(start, end))) addTerm(termOf(word));
      } else addTerm(term);
      start = end;
    }
    return terms;

    function addTerm(term: string): void {
      if (term !== "") terms.push(term);
    }
  };
}

function emptyTable(slots: number): WordTable {
  return {
    hashes: new Int32Array(slots),
    words: Array<string>(slots).fill(""),
    terms: Array<string>(slots).fill(""),
    size: 0,
  };
}

/** Gives each word twice as many slots; one that finds none near its own is left out, and learned again. */
function grown(table: WordTable): WordTable {
  const larger = emptyTable(table.hashes.length * 2);
  const mask = larger.hashes.length - 1;
  for (const [from, word] of table.words.entries()) {
    if (word === "") continue;
    const hash = table.hashes[from] ?? 0;
    let probe = 0;
    while (probe < MOST_PROBES && larger.words[(hash + probe) & mask] !== "") probe += 1;
    if (probe === MOST_PROBES) continue;
    put(larger, (hash + probe) & mask, { hash, word, term: table.terms[from] ?? "" });
  }
  return larger;
}

function put(
  table: WordTable,
  slot: number,
  known: { readonly hash: number; readonly word: string; readonly term: string },
): void {
  table.hashes[slot] = known.hash;
  table.words[slot] = known.word;
  table.terms[slot] = known.term;
  table.size += 1;
}

/** Returns whether a character may stand in a word: `a` to `z`, `0` to `9`, and what is no ASCII, but for the spaces and punctuation of all scripts. */
function isOfRun(code: number): boolean {
  if (code < 128) return (code >= 97 && code <= 122) || (code >= 48 && code <= 57);
  return code < 0x20_00 || code > 0x20_6f;
}

/** What is known of a language. */
export interface Vocabulary {
  /** Returns the term of a word, or `""` where it says nothing. */
  readonly termOf: (word: string) => string;
  /** Returns the terms of a text as `normalText` gives it. */
  readonly normalTerms: (normal: string) => readonly string[];
}

/** A history has some ten thousand words; of more all are forgotten, and asked for again. */
const MOST_TERMS = 100_000;

/** Makes a vocabulary that asks for the stem of each word once. */
export function createVocabulary(
  stem: (word: string) => string,
  stopWords: Iterable<string>,
): Vocabulary {
  const saysNothing = new Set(stopWords);
  const terms = new Map<string, string>();
  const termOf = (word: string): string => {
    const known = terms.get(word);
    if (known !== undefined) return known;
    const term = saysNothing.has(word) ? "" : stem(word);
    if (terms.size >= MOST_TERMS) terms.clear();
    terms.set(word, term);
    return term;
  };
  return { termOf, normalTerms: normalTermsBy(termOf) };
}

/** Returns the terms of a text: the stems of those words that say something, repeated as they stand. */
export function textTerms(text: string, { normalTerms }: Vocabulary): readonly string[] {
  return normalTerms(normalText(text));
}
