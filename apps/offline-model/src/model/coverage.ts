import { neighbors, terms } from "../language/terms.ts";
import { alternativesOf } from "../language/thesaurus.ts";
import type { Topic } from "./topic.ts";

/** How much each term of a topic tells. */
export interface TopicWeights {
  readonly terms: ReadonlyMap<string, number>;
  readonly pairs: ReadonlySet<string>;
  readonly asksForRemedy: boolean;
}

/** What two terms side by side tell beyond each of them. */
const PAIR_WEIGHT = 0.5;
/** What another word of nearly the same meaning is worth beside the word itself. */
const ALTERNATIVE_WEIGHT = 0.8;

/**
 * Weighs the terms of a topic: each is worth 1 and, the fewer of some texts it stands in, up to a half more. Not more, as the texts
 * were found by these very terms.
 */
export function weighTopic(
  { terms: wanted, pairs, asksForRemedy }: Topic,
  texts: readonly string[],
): TopicWeights {
  const sets = texts.map((text) => new Set(terms(text)));
  const weights = [...wanted].map((term): [string, number] => {
    const count = sets.filter((set) => closeness(term, set) > 0).length;
    return [term, 1.5 - (0.5 * count) / Math.max(sets.length, 1)];
  });
  return { terms: new Map(weights), pairs, asksForRemedy };
}

/**
 * How far a text speaks of a topic: the weights of its terms that stand there, themselves or in other words, and more where they
 * stand side by side.
 */
export function coverage(text: string, { terms: weights, pairs }: TopicWeights): number {
  const inOrder = terms(text);
  const words = new Set(inOrder);
  const phrases = new Set(neighbors(inOrder).filter((pair) => pairs.has(pair)));
  let sum = PAIR_WEIGHT * phrases.size;
  for (const [term, weight] of weights) sum += weight * closeness(term, words);
  return sum;
}

/** How near some words come to a term: 1 where it is one of them, less where another stands for it, 0 where none does. */
export function closeness(term: string, words: ReadonlySet<string>): number {
  if (words.has(term)) return 1;
  for (const other of alternativesOf(term)) if (words.has(other)) return ALTERNATIVE_WEIGHT;
  return 0;
}
