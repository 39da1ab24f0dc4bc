import type { TokenCounter } from "@agent-history/core";

import { isSentenceKind } from "./is-sentence-kind.ts";
import type { WeighedFact } from "./weigh-facts.ts";

/** A fact and what it costs. */
export interface RankedFact {
  readonly fact: WeighedFact;
  /** Tokens of the fact with a space before it. */
  readonly tokens: number;
}

/**
 * Ranks facts by what they are worth for their tokens, the best first; the order of the history decides where that is equal.
 *
 * @param sentencePower - How much the length of a whole sentence counts against it, from 0 to 1. Default as for words.
 */
export function rankFacts(
  facts: readonly WeighedFact[],
  counter: Pick<TokenCounter, "countText">,
  sentencePower: number = LENGTH_POWER,
): readonly RankedFact[] {
  const scored = facts.map((fact) => {
    const tokens = counter.countText(` ${fact.text}`);
    const power = isSentenceKind(fact.kind) ? sentencePower : LENGTH_POWER;
    return { fact, tokens, score: fact.weight / Math.max(1, tokens) ** power };
  });
  return scored.toSorted((one, other) => other.score - one.score);
}

/** A long name is seldom said by chance: length counts against a fact, and by less than itself. */
const LENGTH_POWER = 0.3;
