import type { Concept, HistoryEntry, SummaryPart } from "@agent-history/core";

import { cleanText, oneLine, sentencesOf, wordsOf } from "../record/text.ts";
import { textOfEntry } from "./data-text.ts";

/** A fact as a part of a summary. Of a `single` concept the newest replaces the others. */
function factPart({ keyword, factType }: Concept, text: string, at: number): SummaryPart {
  const key = factType === "single" ? keyword : `${keyword}\n${text}`;
  return { kind: "fact", key, text, at, note: keyword };
}

/** Finds, without a model, the sentences that share most words with a concept: one, or at most eight. Linear. */
export function lexicalFacts(
  entries: readonly HistoryEntry[],
  concepts: readonly Concept[],
  at: number,
): readonly SummaryPart[] {
  const sentences = entries
    .flatMap((entry) => sentencesOf(textOfEntry(entry)))
    .filter(({ length }) => length <= LONGEST_SENTENCE)
    .map((sentence, index) => ({ sentence, index, words: stemsOf(sentence) }));
  return concepts.flatMap((concept) => {
    const names = stemsOf(concept.keyword);
    const wanted = new Set([...names, ...stemsOf(concept.description)]);
    return sentences
      .map((one) => ({ ...one, score: shared(one.words, wanted) + shared(one.words, names) }))
      .filter(({ score }) => score > 0)
      .toSorted((one, other) => other.score - one.score || other.index - one.index)
      .slice(0, concept.factType === "single" ? 1 : MOST_FACTS)
      .toSorted((one, other) => one.index - other.index)
      .map(({ sentence }) => factPart(concept, sentence, at));
  });
}

const MOST_FACTS = 8;
const LONGEST_SENTENCE = 400;

function shared(words: ReadonlySet<string>, wanted: ReadonlySet<string>): number {
  return [...wanted].filter((word) => words.has(word)).length;
}

/** Words by their first six letters, without common words of descriptions. */
function stemsOf(text: string): ReadonlySet<string> {
  const words = [...wordsOf(text.replace(/([a-z])([A-Z])|_/g, "$1 $2"))];
  return new Set(words.filter((word) => !COMMON.has(word)).map((word) => word.slice(0, 6)));
}

const COMMON: ReadonlySet<string> = new Set(
  "about also been brief could details each etcetera every from have including into like more most other should some such than that their them then there these they this those what when where whether which while will with would your user users".split(
    " ",
  ),
);

/** Reads a model's facts: lines below the keyword of their concept. `undefined` if it names no keyword. */
export function readFacts(
  answer: string,
  concepts: readonly Concept[],
  at: number,
): readonly SummaryPart[] | undefined {
  const parts: SummaryPart[] = [];
  let concept: Concept | undefined;
  for (const raw of cleanText(answer).split("\n")) {
    const line = oneLine(raw).replace(/^(?:[-*•]|#+)\s+/, "");
    const bare = line.replace(/[*`]/g, "");
    const named = concepts.find(({ keyword }) => bare.startsWith(`${keyword}:`));
    concept = named ?? concept;
    const text = named === undefined ? line : bare.slice(named.keyword.length + 1).trim();
    if (concept !== undefined && !/^(?:none\W*|\W*)$/i.test(text))
      parts.push(factPart(concept, text, at));
  }
  return concept && parts;
}
