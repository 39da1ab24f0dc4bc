import { readableTexts } from "../src/facts/internal/readable-texts.ts";
import { splitSentences } from "../src/facts/internal/split-sentences.ts";
import type { CutConversation } from "./recorded-conversations.ts";

type CountText = (text: string) => number;

/** The facts of the measure, bare, by how often they come and then by how lately: no sentence at all. */
export function bareList(
  { facts }: CutConversation,
  maxTokens: number,
  countText: CountText,
): string {
  const words = facts
    .toSorted((one, other) => other.count - one.count || other.last - one.last)
    .map(({ text }) => text);
  return longest(words.length, (count) => words.slice(0, count).join(" "), maxTokens, countText);
}

/** Sentences alone, without a look at facts: those with the most frequent words, as extractive summarizers rank them. */
export function bareSentences(
  { covered }: CutConversation,
  maxTokens: number,
  countText: CountText,
): string {
  const all = covered.flatMap(readableTexts).flatMap(({ text }) => splitSentences(text));
  const candidates = all.filter(({ isFull }) => isFull);
  const wordsOf = (text: string): readonly string[] =>
    text.toLowerCase().match(/\p{L}{4,}/gu) ?? [];
  const frequency = new Map<string, number>();
  for (const word of candidates.flatMap(({ text }) => wordsOf(text))) {
    frequency.set(word, (frequency.get(word) ?? 0) + 1);
  }
  const scoreOf = (text: string): number => {
    const words = wordsOf(text);
    return words.reduce((sum, word) => sum + (frequency.get(word) ?? 0), 0) / (words.length + 1);
  };
  const ranked = candidates.toSorted((one, other) => scoreOf(other.text) - scoreOf(one.text));
  const write = (count: number): string =>
    ranked
      .slice(0, count)
      .map(({ text }) => text)
      .join(" ");
  return longest(ranked.length, write, maxTokens, countText);
}

/** The text of as many pieces as fit. */
function longest(
  pieces: number,
  write: (count: number) => string,
  maxTokens: number,
  countText: CountText,
): string {
  let [low, high] = [0, pieces];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (countText(write(middle)) <= maxTokens) low = middle;
    else high = middle - 1;
  }
  return write(low);
}
