import { scanWords } from "./scan-words.ts";

/** The facts of one word that a text mentions, each once: a path mentions its file. Linear. */
export function wordsOfText(text: string): ReadonlySet<string> {
  const words = new Set<string>();
  scanWords(text, (word) => {
    words.add(word.text);
    if (word.kind !== "date") return;
    for (const [digits] of word.text.matchAll(/\d{2,}/g)) words.add(digits);
  });
  return words;
}
