import { normalTermsBy } from "./normal-terms.ts";
import { normalText } from "./text-words.ts";

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
