import type { Concept, HistoryEntry } from "@agent-history/core";

import { textOfEntry } from "../internal/text-of-entry.ts";
import { sentencesOf, wordsOf } from "../record/text.ts";
import type { FactsByKeyword } from "./fact-parts.ts";

/** Finds without a model the sentences that share most words with a concept: one, or at most eight. Linear. */
export function lexicalFacts(
  entries: readonly HistoryEntry[],
  concepts: readonly Concept[],
): FactsByKeyword {
  const sentences = entries
    .flatMap((entry) => sentencesOf(textOfEntry(entry)))
    .filter(({ length }) => length <= LONGEST_SENTENCE)
    .map((sentence, index) => ({ sentence, index, words: stemsOf(sentence) }));
  return new Map(
    concepts.map(({ keyword, description, factType }) => {
      const names = stemsOf(keyword);
      const wanted = new Set([...names, ...stemsOf(description)]);
      const best = sentences
        .map((one) => ({ ...one, score: shared(one.words, wanted) + shared(one.words, names) }))
        .filter(({ score }) => score > 0)
        .toSorted((one, other) => other.score - one.score || other.index - one.index)
        .slice(0, factType === "single" ? 1 : MOST_FACTS)
        .toSorted((one, other) => one.index - other.index);
      return [keyword, [...new Set(best.map(({ sentence }) => sentence))]];
    }),
  );
}

const MOST_FACTS = 8;
const LONGEST_SENTENCE = 400;

function shared(words: ReadonlySet<string>, wanted: ReadonlySet<string>): number {
  return [...wanted].filter((word) => words.has(word)).length;
}

/** Words by their first six letters, but for those that any description has. */
function stemsOf(text: string): ReadonlySet<string> {
  const words = [...wordsOf(text.replace(/([a-z])([A-Z])|_/g, "$1 $2"))];
  return new Set(words.filter((word) => !COMMON.has(word)).map((word) => word.slice(0, 6)));
}

const COMMON: ReadonlySet<string> = new Set(
  "about also been brief could details each etcetera every from have including into like more most other should some such than that their them then there these they this those what when where whether which while will with would your user users".split(
    " ",
  ),
);
