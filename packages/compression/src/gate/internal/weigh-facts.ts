import type { HistoryEntry } from "@agent-history/core";

import { readableTexts } from "../../facts/internal/readable-texts.ts";
import { scanWords } from "../../facts/internal/scan-words.ts";
import { tallyFacts } from "../../facts/internal/tally-facts.ts";
import type { FactTally } from "../../facts/internal/tally-facts.ts";
import { isSentenceKind } from "./is-sentence-kind.ts";
import { sentenceWeigher } from "./sentence-weights.ts";

/** A fact, and how likely it is that an agent needs it to go on. */
export interface WeighedFact extends FactTally {
  /** From 0 to 1; 1 where a later entry mentions it. */
  readonly weight: number;
}

/** From this weight on a fact matters by itself. */
const MATTERS = 0.5;

/**
 * Whether a fact must be in a summary, or be appended: it is likely to come up again, the user said it, or a call used it. A
 * key of JSON tells nothing by itself, nor does a number that only a call said.
 */
export function matters({ kind, text, origins, weight, isKey }: WeighedFact): boolean {
  if (weight < 1 && (isKey || (/^\d+$/.test(text) && !origins.has("user")))) return false;
  const isUsed = origins.has("user") || origins.has("arguments");
  return weight >= MATTERS || (isUsed && !isSentenceKind(kind));
}

/** Weighs the facts of covered entries by what they are and by what is known to come after them. Linear. */
export function weighFacts(
  covered: readonly HistoryEntry[],
  later: readonly HistoryEntry[],
): readonly WeighedFact[] {
  const facts = tallyFacts(covered);
  const mentioned = mentionedIn(later);
  const sentenceWeight = sentenceWeigher(covered, later, facts);
  return facts.map((fact) => {
    if (mentioned.has(fact.text)) return { ...fact, weight: 1 };
    const weight = isSentenceKind(fact.kind)
      ? sentenceWeight(fact)
      : wordWeight(fact, covered.length);
    return { ...fact, weight };
  });
}

function mentionedIn(entries: readonly HistoryEntry[]): ReadonlySet<string> {
  const mentioned = new Set<string>();
  for (const { text } of entries.flatMap(readableTexts)) {
    scanWords(text, (word) => mentioned.add(word.text));
  }
  return mentioned;
}

/**
 * The chance that a word comes up again, by a logistic model of few and round weights: how many entries carry it, how long
 * ago the last of them was, and who used it. `bench/facts-kept.ts` measures what they are worth.
 */
function wordWeight({ kind, text, entries, origins }: FactTally, size: number): number {
  const age = (size - 1 - (entries.at(-1) ?? 0)) / Math.max(1, size);
  const logit =
    -1.5 +
    1.5 * Math.log(entries.length) -
    age +
    (origins.has("arguments") ? 0.75 : 0) +
    (origins.has("user") ? 0.25 : 0) +
    (kind === "date" && !text.includes(":") ? 1 : 0) -
    (origins.size === 1 && origins.has("name") ? 0.5 : 0);
  return 1 / (1 + Math.exp(-logit));
}
