import { LONGEST_WORD } from "./text-words.ts";

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

/** Makes a function that gives the terms of plain text, in lower case, repeated as they stand; words without a term are left out. Linear. */
export function plainTermsBy(
  termOf: (word: string) => string,
): (plain: string) => readonly string[] {
  let table = emptyTable(FEWEST_SLOTS);

  const find = (plain: string, start: number, end: number, hash: number): string => {
    const { hashes, words, terms } = table;
    const mask = hashes.length - 1;
    for (let probe = 0; probe < MOST_PROBES; probe++) {
      const slot = (hash + probe) & mask;
      const known = words[slot] ?? "";
      if (known === "") return learn(plain.slice(start, end), hash, slot);
      const isSame = hashes[slot] === hash && known.length === end - start;
      if (isSame && plain.startsWith(known, start)) return terms[slot] ?? "";
    }
    return termOf(plain.slice(start, end));
  };

  const learn = (word: string, hash: number, slot: number): string => {
    const term = termOf(word);
    put(table, slot, { hash, word, term });
    if (table.size >= MOST_WORDS) table = emptyTable(FEWEST_SLOTS);
    else if (table.size * 2 >= table.hashes.length) table = grown(table);
    return term;
  };

  return (plain) => {
    const terms: string[] = [];
    for (let start = 0; start < plain.length; start++) {
      if (!isOfWord(plain.charCodeAt(start))) continue;
      let hash = 0;
      let end = start;
      // Only the beginning of a long word is hashed, and all of it is passed over.
      for (; end < plain.length && isOfWord(plain.charCodeAt(end)); end++) {
        if (end - start < LONGEST_WORD) hash = (Math.imul(hash, 31) + plain.charCodeAt(end)) | 0;
      }
      const term = find(plain, start, Math.min(end, start + LONGEST_WORD), hash ^ (hash >>> 15));
      if (term !== "") terms.push(term);
      start = end;
    }
    return terms;
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

/** `a` to `z` and `0` to `9`. */
function isOfWord(code: number): boolean {
  return (code >= 97 && code <= 122) || (code >= 48 && code <= 57);
}
