import type MiniSearch from "minisearch";

import { alternativesOf } from "../language/thesaurus.ts";

/** What holds a word, or another that stands for nearly the same. */
export interface ConceptScores {
  /** By id: the score of the word itself, or of the best of the others. What holds none of them is not there. */
  readonly scores: ReadonlyMap<number, number>;
  /** The fewer hold any of them, the more it tells. */
  readonly rarity: number;
}

/** What another word of nearly the same meaning is worth beside the word itself. */
const ALTERNATIVE_WEIGHT = 0.8;

/** Scores what an engine holds by the meaning of one word. */
export function conceptScores<T>(
  engine: MiniSearch<T>,
  term: string,
  options: { readonly boost: Readonly<Record<string, number>> },
): ConceptScores {
  const scores = new Map<number, number>();
  for (const each of [term, ...alternativesOf(term)]) {
    const weight = each === term ? 1 : ALTERNATIVE_WEIGHT;
    for (const { id, score } of engine.search(each, { tokenize: (text) => [text], ...options })) {
      scores.set(id, Math.max(scores.get(id) ?? 0, score * weight));
    }
  }
  const { documentCount: all } = engine;
  return { scores, rarity: Math.log(1 + (all - scores.size + 0.5) / (scores.size + 0.5)) };
}
