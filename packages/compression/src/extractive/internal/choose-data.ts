import type { TokenCounter } from "@agent-history/core";

import type { RankedFact } from "../../gate/internal/rank-facts.ts";
import type { WeighedFact } from "../../gate/internal/weigh-facts.ts";

/** What is chosen from, and how much. */
export interface DataChoice {
  /** Facts that have a place in the summary, the best first. */
  readonly facts: readonly RankedFact[];
  /** Tokens of the text so far with these facts told in sentences. */
  readonly count: (data: readonly WeighedFact[]) => number;
  readonly maxTokens: number;
  readonly counter: Pick<TokenCounter, "countText">;
}

/**
 * Chooses which facts of results are told in sentences, each after its name there, and not listed bare: those first for
 * which the sentence costs least beside the facts, such as many of one name.
 */
export function chooseData(choice: DataChoice): readonly WeighedFact[] {
  const { facts, count, maxTokens } = choice;
  const named = new Set(facts.map(({ fact }) => fact.text));
  const groups = new Map<string, RankedFact[]>();
  for (const each of facts) {
    const { label, isKey } = each.fact;
    if (label === undefined || isKey) continue;
    const group = groups.get(label) ?? [];
    groups.set(label, group);
    group.push(each);
  }
  const thrifts = [...groups].map(([label, group]) => {
    const labelTokens = named.has(label) ? 0 : choice.counter.countText(` ${label}`);
    const tokens = group.reduce((sum, each) => sum + each.tokens, 0);
    return { group, thrift: tokens / (group.length + labelTokens) };
  });
  const ordered = thrifts
    .toSorted((one, other) => other.thrift - one.thrift)
    .flatMap(({ group }) => group.map(({ fact }) => fact));
  let [low, high] = [0, ordered.length];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (count(ordered.slice(0, middle)) <= maxTokens) low = middle;
    else high = middle - 1;
  }
  return ordered.slice(0, low);
}
