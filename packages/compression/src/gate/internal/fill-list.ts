import type { TokenCounter } from "@agent-history/core";

import { wordsOfText } from "../../facts/internal/words-of-text.ts";
import { factFinder } from "./fact-finder.ts";
import { isSentenceKind } from "./is-sentence-kind.ts";
import type { RankedFact } from "./rank-facts.ts";
import type { WeighedFact } from "./weigh-facts.ts";

/** What a list of facts is filled into. */
export interface ListFrame {
  /** Whether a fact stands beside the list already. */
  readonly has: (fact: WeighedFact) => boolean;
  /** The whole text with a list in it. */
  readonly render: (facts: readonly WeighedFact[]) => string;
  /** The cap on the whole text. */
  readonly maxTokens: number;
  readonly counter: Pick<TokenCounter, "countText">;
}

/** Rounds: the first fills by the sum of the parts, which is mostly more than the whole; the others use what that left. */
const ROUNDS = 3;
/** What the line of words costs beside them, and each sentence beside itself, is about what this costs. */
const HEAD = "\nFailed:";

/**
 * Chooses facts, the best first, as long as the text they are rendered in stays under its cap; one that no longer fits is
 * passed over. The whole text is counted a few times, and never once for each fact.
 */
export function fillList(ranked: readonly RankedFact[], frame: ListFrame): readonly WeighedFact[] {
  const { render, counter } = frame;
  let chosen: readonly RankedFact[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const used = counter.countText(render(factsOf(chosen)));
    const more = addFitting(ranked, chosen, frame, used);
    chosen = withoutExcess(more, frame);
  }
  return factsOf(chosen);
}

function addFitting(
  ranked: readonly RankedFact[],
  chosen: readonly RankedFact[],
  { has, maxTokens, counter }: ListFrame,
  tokens: number,
): readonly RankedFact[] {
  const listed = factFinder(chosen.map(({ fact }) => fact.text).join("\n"));
  const more = new Map(chosen.map((each) => [each.fact.text, each]));
  const head = counter.countText(HEAD);
  let used = chosen.length === 0 ? tokens + head : tokens;
  for (const each of ranked) {
    const { text, kind } = each.fact;
    const isSentence = isSentenceKind(kind);
    const cost = each.tokens + (isSentence ? head : text.includes(" ") ? 1 : 0);
    if (used + cost > maxTokens || more.has(text) || has(each.fact)) continue;
    if (!isSentence && listed.has(each.fact)) continue;
    // A path says what its file says: the file goes.
    for (const part of isSentence ? [] : wordsOfText(text)) {
      used -= more.get(part)?.tokens ?? 0;
      more.delete(part);
    }
    more.set(text, each);
    listed.add(text);
    used += cost;
  }
  return [...more.values()];
}

/** Takes facts from the end until the text fits. */
function withoutExcess(
  chosen: readonly RankedFact[],
  { render, maxTokens, counter }: ListFrame,
): readonly RankedFact[] {
  let rest = chosen;
  while (rest.length > 0) {
    let excess = counter.countText(render(factsOf(rest))) - maxTokens;
    if (excess <= 0) break;
    let length = rest.length;
    for (; length > 0 && excess > 0; length--) excess -= Math.max(1, rest[length - 1]?.tokens ?? 1);
    rest = rest.slice(0, length);
  }
  return rest;
}

function factsOf(ranked: readonly RankedFact[]): readonly WeighedFact[] {
  return ranked.map(({ fact }) => fact);
}
