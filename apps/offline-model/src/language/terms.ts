import { stemmer } from "stemmer";

import { STOP_WORDS } from "./stop-words.ts";

const WORD = /[\p{L}\p{N}\p{M}]+(?:['’]\p{L}+)?/gu;
const POSSESSIVE = /['’]s?$/u;
const CONTRACTION = /n['’]t$/iu;
const APOSTROPHE = /['’].*$/u;
/** Between the words of `camelCase` and `HTMLParser`. */
const HUMP = /(?<=[\p{Ll}\p{N}])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/u;
/** Scripts that put no space between words. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}]/u;
/** No word anybody searches for is longer; a megabyte of one letter is none. */
const MAX_WORD_LENGTH = 64;

/**
 * Returns the terms of a text: its words in lower case without stop words, stemmed, in order and as often as they occur. Identifiers
 * give their parts and themselves; scripts without spaces give pairs of characters. Linear.
 */
export function terms(text: string): readonly string[] {
  return (text.match(WORD) ?? []).flatMap(termsOfWord);
}

/** Returns each two neighboring terms as one. */
export function neighbors(inOrder: readonly string[]): readonly string[] {
  return inOrder.slice(1).map((term, index) => `${inOrder[index]} ${term}`);
}

/** Returns whether a word is one that {@link terms} leaves out. */
function isStopWord(word: string): boolean {
  return STOP_WORDS.has(word.toLowerCase().replace(APOSTROPHE, ""));
}

function termsOfWord(raw: string): readonly string[] {
  if (raw.length > MAX_WORD_LENGTH || CONTRACTION.test(raw)) return [];
  const word = raw.replace(POSSESSIVE, "");
  if (UNSPACED.test(word)) return pairs(word.toLowerCase());
  const parts = word.split(HUMP);
  const words = parts.length > 1 ? [...parts, word] : parts;
  return words.flatMap((part) => (isStopWord(part) ? [] : [stem(part.toLowerCase())]));
}

function pairs(word: string): readonly string[] {
  const characters = Array.from(word);
  if (characters.length < 2) return characters;
  return characters.slice(1).map((character, index) => `${characters[index]}${character}`);
}

const stems = new Map<string, string>();

function stem(word: string): string {
  const known = stems.get(word);
  if (known !== undefined) return known;
  const found = stemmer(word);
  // Words repeat, and a folder has few; what is hostile is forgotten at once.
  if (stems.size < 100_000) stems.set(word, found);
  return found;
}
