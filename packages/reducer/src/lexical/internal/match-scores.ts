import { STRETCH_LENGTH } from "./history-index.ts";
import type { HistoryIndex } from "./history-index.ts";

/** A longer question is cut to its rarest terms. */
const MOST_TERMS = 64;

/** From this length on, a term also finds those that begin with it (`paint`, `painting`), for a part of their weight. */
const PREFIX_LENGTH = 4;
const PREFIX_WEIGHT = 0.4;

/**
 * Scores each entry by the terms it shares with a question: BM25, where the rarity of a term is the mean of its rarity
 * among entries and among stretches of the history, and 1 for a term that occurs once.
 */
export function matchScores(index: HistoryIndex, question: ReadonlySet<string>): number[] {
  const scores = Array.from({ length: index.entries.length }, () => 0);
  const terms = rarest(index, question);
  const found = index.matcher.search(terms.join(" "), {
    bm25: { k: 1.2, b: 0.85, d: 0 },
    // The library weighs by rarity among entries; the boost takes its place.
    boostTerm: (term) =>
      rarityOf(index, term) / inverseFrequency(entriesWith(index, term), scores.length),
    prefix: (term) => term.length >= PREFIX_LENGTH,
    weights: { prefix: PREFIX_WEIGHT, fuzzy: 0 },
  });
  for (const { id, score, queryTerms } of found) {
    // The library multiplies by the number of terms found, which BM25 does not.
    scores[Number(id)] = score / queryTerms.length;
  }
  return scores;
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
  const counts = index.terms.get(term);
  if (counts === undefined) return 1;
  const { length } = index.entries;
  const stretches = Math.ceil(length / STRETCH_LENGTH);
  return (relativeRarity(counts.entries, length) + relativeRarity(counts.stretches, stretches)) / 2;
}

/** The rarity of what this many of all have: from near 0 for all to 1 for one. */
export function relativeRarity(having: number, total: number): number {
  return inverseFrequency(having, total) / inverseFrequency(1, total);
}

function entriesWith(index: HistoryIndex, term: string): number {
  return index.terms.get(term)?.entries ?? 1;
}

/** The inverse document frequency of BM25, as the library computes it. */
function inverseFrequency(having: number, total: number): number {
  return Math.log(1 + (total - having + 0.5) / (having + 0.5));
}
