import { STRETCH_LENGTH } from "./history-index.ts";
import type { HistoryIndex, TermOccurrences } from "./history-index.ts";
import type { Topics } from "./topics.ts";

/** A longer question is cut to its rarest terms. */
const MOST_TERMS = 64;

/** From this length on, a term also finds those that begin with it (`paint`, `painting`), for a part of their weight. */
const PREFIX_LENGTH = 4;
const PREFIX_WEIGHT = 0.4;

/** How soon more of a term adds nothing, and how much the length of an entry takes from it: k1 and b of BM25. */
const SATURATION = 1.2;
const BY_LENGTH = 0.85;

/**
 * Scores each entry by the terms it shares with a question: BM25, where the rarity of a term is the mean of its rarity
 * among entries and among stretches of the history, and 1 for a term that occurs once. Linear in what is found.
 */
export function matchScores(index: HistoryIndex, question: ReadonlySet<string>): number[] {
  const scores = Array.from({ length: index.entries.length }, () => 0);
  for (const term of rarest(index, question)) {
    for (const [entryIndex, score] of scoresOfTerm(index, term)) {
      scores[entryIndex] = (scores[entryIndex] ?? 0) + score;
    }
  }
  return scores;
}

/** Scores the entries that have a term, or one that begins with it. */
function scoresOfTerm(index: HistoryIndex, term: string): ReadonlyMap<number, number> {
  const found = new Map<number, number>();
  const { terms, byBeginning } = index.terms;
  // What is found by its beginning is weighed by the rarity of what was asked for.
  const boost =
    rarityOf(index, term) / inverseFrequency(entriesWith(index, term), index.entries.length);
  const exact = terms.get(term);
  if (exact !== undefined) addScores(index, exact, boost, found);
  if (term.length < PREFIX_LENGTH) return found;
  for (const [longer, occurrences] of byBeginning.atPrefix(term)) {
    const distance = longer.length - term.length;
    if (distance === 0) continue;
    // As MiniSearch weighs it: the longer the rest, the less.
    const weight = (PREFIX_WEIGHT * longer.length) / (longer.length + 0.3 * distance);
    addScores(index, occurrences, weight * boost, found);
  }
  return found;
}

function addScores(
  { terms: { lengths, meanLength } }: HistoryIndex,
  { indexes, frequencies }: TermOccurrences,
  weight: number,
  scores: Map<number, number>,
): void {
  const rarity = inverseFrequency(indexes.length, lengths.length);
  for (const [nth, index] of indexes.entries()) {
    const frequency = frequencies[nth] ?? 0;
    const relativeLength = (BY_LENGTH * (lengths[index] ?? 0)) / meanLength;
    const slack = SATURATION * (1 - BY_LENGTH + relativeLength);
    const score = weight * (rarity * ((frequency * (SATURATION + 1)) / (frequency + slack)));
    scores.set(index, (scores.get(index) ?? 0) + score);
  }
}

function rarest(index: HistoryIndex, terms: ReadonlySet<string>): readonly string[] {
  const all = Array.from(terms);
  if (all.length <= MOST_TERMS) return all;
  const rarities = new Map(all.map((term) => [term, rarityOf(index, term)]));
  const ranked = all.toSorted((a, b) => (rarities.get(b) ?? 0) - (rarities.get(a) ?? 0));
  return ranked.slice(0, MOST_TERMS);
}

/** From near 0 for a term that all have to 1 for one that occurs once. */
function rarityOf(index: HistoryIndex, term: string): number {
  const counts = index.terms.terms.get(term);
  if (counts === undefined) return 1;
  const { length } = index.entries;
  const stretches = Math.ceil(length / STRETCH_LENGTH);
  return (
    (relativeRarity(counts.indexes.length, length) + relativeRarity(counts.stretches, stretches)) /
    2
  );
}

/** The rarity of what this many of all have: from near 0 for all to 1 for one. @internal Exported for its test. */
export function relativeRarity(having: number, total: number): number {
  return inverseFrequency(having, total) / inverseFrequency(1, total);
}

function entriesWith(index: HistoryIndex, term: string): number {
  return index.terms.terms.get(term)?.indexes.length ?? 1;
}

/** The inverse document frequency of BM25. */
function inverseFrequency(having: number, total: number): number {
  return Math.log(1 + (total - having + 0.5) / (having + 0.5));
}

/**
 * Lends each score to its neighbors on both sides: `share` of it to the next, the square of `share` to the one after,
 * and so on. Two passes, whatever the reach.
 */
export function spreadScores(scores: readonly number[], share: number): readonly number[] {
  const fromBefore = lend(scores, share);
  const fromAfter = lend(scores.toReversed(), share).toReversed();
  return scores.map((score, index) => score + (fromBefore[index] ?? 0) + (fromAfter[index] ?? 0));
}

/** What reaches each place from those before it. */
function lend(scores: readonly number[], share: number): readonly number[] {
  let reaching = 0;
  return scores.map((score) => {
    const received = reaching;
    reaching = share * (reaching + score);
    return received;
  });
}

/** What a topic is worth that the question names, and one of which it has another word; 1 is a word that occurs once. */
const NAMED = 0.6;
const TOUCHED = 0.3;
/** How soon more words of a topic add nothing, and how much the length of an entry takes from them, as in BM25. */
const TOPIC_SATURATION = 1;
const TOPIC_BY_LENGTH = 0.7;

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
      const slack = TOPIC_SATURATION * (1 - TOPIC_BY_LENGTH + TOPIC_BY_LENGTH * length);
      const share = (count * (TOPIC_SATURATION + 1)) / (count + slack);
      scores[entryIndex] = (scores[entryIndex] ?? 0) + rarity * share;
    }
  }
  return scores;
}
