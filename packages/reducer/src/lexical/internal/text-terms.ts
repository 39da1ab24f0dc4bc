import { textWords } from "./text-words.ts";

/** What is known of a language. */
export interface Vocabulary {
  readonly stem: (word: string) => string;
  readonly stopWords: ReadonlySet<string>;
}

/** Gives the terms of a text: the stems of those words that say something, repeated as they stand. */
export function textTerms(text: string, vocabulary: Vocabulary): readonly string[] {
  const { stem, stopWords } = vocabulary;
  return textWords(text)
    .filter((word) => !stopWords.has(word))
    .map((word) => stem(word))
    .filter((term) => term !== "");
}
