import type { TokenCounter } from "@agent-history/core";

import { isSentenceKind } from "../../gate/internal/is-sentence-kind.ts";
import type { RankedFact } from "../../gate/internal/rank-facts.ts";
import type { WeighedFact } from "../../gate/internal/weigh-facts.ts";
import type { Offer, ProseChoice } from "./choose-prose.ts";
import type { ProseCandidate } from "./prose-candidates.ts";

/** A little for every sentence, more for the user's own, most for one that is a fact as a whole; in tokens of facts. */
const BASE_INTEREST = 0.3;
const USER_INTEREST = 0.5;
const FACT_INTEREST = 2;
/** What a fact is worth grows by less than its tokens. */
const LENGTH_POWER = 0.7;

/** What sentences are worth: the facts in them that stand nowhere yet, and themselves. */
export function proseChoice(
  facts: readonly WeighedFact[],
  ranked: readonly RankedFact[],
): ProseChoice {
  const worths = new Map(
    ranked.map(({ fact, tokens }) => [fact.text, fact.weight * tokens ** LENGTH_POWER]),
  );
  const whole = new Map(
    facts.flatMap(({ kind, text, weight }) => (isSentenceKind(kind) ? [[text, weight]] : [])),
  );
  return {
    worth: (word) => worths.get(word) ?? 0,
    interest: ({ text, speaker }) =>
      BASE_INTEREST +
      (speaker === "user" ? USER_INTEREST : 0) +
      FACT_INTEREST * (whole.get(text) ?? 0),
    known: new Set(),
  };
}

/** Counts sentences: each with a space, and with what says whose it is. */
export function proseOffers(
  candidates: readonly ProseCandidate[],
  counter: Pick<TokenCounter, "countText">,
): readonly Offer[] {
  return candidates.map((candidate) => {
    const head = candidate.speaker === "call" ? " The agent" : "";
    return { candidate, tokens: counter.countText(`${head} ${candidate.text}`) + 1 };
  });
}
