import type { HistoryIndex } from "./history-index.ts";
import { relativeRarity } from "./match-scores.ts";
import type { Topics } from "./topic-index.ts";

/** What a topic is worth that the question names, and one of which it has another word; 1 is a word that occurs once. */
const NAMED = 0.6;
const TOUCHED = 0.3;

/** How soon more words of a topic add nothing, and how much the length of an entry takes from them, as in BM25. */
const SATURATION = 1;
const BY_LENGTH = 0.7;

/** Scores each entry by the topics that it shares with a question, whatever the words. What few entries speak of counts most. */
export function topicScores(
  { entries, topics: index, lengthSum }: HistoryIndex,
  question: ReadonlySet<string>,
  { ofTerm, names }: Topics,
): readonly number[] {
  const scores = entries.map(() => 0);
  const weights = new Map<number, number>();
  for (const term of question) {
    for (const topic of ofTerm.get(term) ?? []) {
      const weight = names.get(topic)?.has(term) === true ? NAMED : TOUCHED;
      weights.set(topic, Math.max(weights.get(topic) ?? 0, weight));
    }
  }
  for (const [topic, weight] of weights) {
    const counts = index.get(topic);
    if (counts === undefined) continue;
    const rarity = weight * relativeRarity(counts.size, entries.length);
    for (const [entryIndex, count] of counts) {
      const length = ((entries[entryIndex]?.length ?? 0) * entries.length) / lengthSum;
      const slack = SATURATION * (1 - BY_LENGTH + BY_LENGTH * length);
      const share = (count * (SATURATION + 1)) / (count + slack);
      scores[entryIndex] = (scores[entryIndex] ?? 0) + rarity * share;
    }
  }
  return scores;
}
