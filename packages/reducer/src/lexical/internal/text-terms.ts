import { textWords } from "./text-words.ts";

/** What is known of a language. */
export interface Vocabulary {
  readonly stem: (word: string) => string;
  readonly stopWords: ReadonlySet<string>;
}

/** A history has some ten thousand words; of more all are forgotten, and asked for again. */
const MOST_STEMS = 100_000;

/** Makes a vocabulary that asks for the stem of each word once. */
export function createVocabulary(
  stem: (word: string) => string,
  stopWords: Iterable<string>,
): Vocabulary {
  const stems = new Map<string, string>();
  return {
    stopWords: new Set(stopWords),
    stem(word) {
      const known = stems.get(word);
      if (known !== undefined) return known;
      const found = stem(word);
      if (stems.size >= MOST_STEMS) stems.clear();
      stems.set(word, found);
      return found;
    },
  };
}

/** Returns the terms of a text: the stems of those words that say something, repeated as they stand. */
export function textTerms(text: string, vocabulary: Vocabulary): readonly string[] {
  const { stem, stopWords } = vocabulary;
  return textWords(text)
    .filter((word) => !stopWords.has(word))
    .map((word) => stem(word))
    .filter((term) => term !== "");
}
