import { arbitraryText, lawRuns } from "@agent-history/testkit";
import * as fc from "fast-check";
import MiniSearch from "minisearch";
import { describe, expect, it } from "vitest";

import { englishStem } from "./english-stem.ts";
import { ENGLISH_STOP_WORDS } from "./english-stop-words.ts";
import { STRETCH_LENGTH, emptyIndex, extendIndex } from "./history-index.ts";
import { matchScores, relativeRarity } from "./match-scores.ts";
import { createVocabulary, textTerms } from "./text-terms.ts";
import { readTopics } from "./topic-index.ts";

const vocabulary = createVocabulary(englishStem, ENGLISH_STOP_WORDS);
const noTopics = readTopics([], () => []);
const words = fc.constantFrom(
  ..."paint painter painting paints painted database data datum dates dated don't She'll 3 2024 a".split(
    " ",
  ),
);
const sentence = fc.array(words, { maxLength: 12 }).map((some) => some.join(" "));
const texts = fc.array(fc.oneof({ weight: 4, arbitrary: sentence }, arbitraryText()), {
  minLength: 1,
  maxLength: STRETCH_LENGTH * 3,
});

describe("extendIndex and matchScores", () => {
  it("score as MiniSearch does, with the rarity of a term as weight", () => {
    fc.assert(
      fc.property(texts, fc.oneof(sentence, arbitraryText()), (entries, question) => {
        const documents = entries.map((text) => textTerms(text, vocabulary));
        // Above 64 the rarest are chosen, which has a test of its own.
        const asked = [...new Set(textTerms(question, vocabulary))].slice(0, 64);
        const found = matchScores(indexOf(documents), new Set(asked));
        const expected = scoresOfMiniSearch(documents, asked);
        for (const [index, score] of expected.entries()) {
          expect(Math.abs((found[index] ?? Number.NaN) - score)).toBeLessThanOrEqual(score * 1e-14);
        }
      }),
      { numRuns: lawRuns(300) },
    );
  });
});

function indexOf(documents: readonly (readonly string[])[]): ReturnType<typeof emptyIndex> {
  const index = emptyIndex();
  for (const [entryIndex, terms] of documents.entries()) {
    const entry = {
      id: `e${entryIndex}`,
      type: "user_message",
      createdAtMs: 0,
      content: "",
    } as const;
    extendIndex(index, entry, { terms, speaker: [] }, noTopics);
  }
  return index;
}

function scoresOfMiniSearch(
  documents: readonly (readonly string[])[],
  asked: readonly string[],
): readonly number[] {
  const library = new MiniSearch<{ readonly id: number; readonly terms: string }>({
    fields: ["terms"],
    tokenize: (terms) => terms.split(" "),
    processTerm: (term) => term,
  });
  library.addAll(documents.map((terms, id) => ({ id, terms: terms.join(" ") })));
  const scores = documents.map(() => 0);
  const found = library.search(asked.join(" "), {
    bm25: { k: 1.2, b: 0.85, d: 0 },
    boostTerm: (term) => weightOf(documents, term),
    prefix: (term) => term.length >= 4,
    weights: { prefix: 0.4, fuzzy: 0 },
  });
  // The library multiplies by the number of terms found.
  for (const { id, score, queryTerms } of found) scores[Number(id)] = score / queryTerms.length;
  return scores;
}

function weightOf(documents: readonly (readonly string[])[], term: string): number {
  const having = documents.filter((terms) => terms.includes(term)).length;
  const stretches = Array.from(
    { length: Math.ceil(documents.length / STRETCH_LENGTH) },
    (_, stretch) => documents.slice(stretch * STRETCH_LENGTH, (stretch + 1) * STRETCH_LENGTH),
  );
  const inStretches = stretches.filter((some) => some.some((terms) => terms.includes(term))).length;
  const { length } = documents;
  const rarity =
    having === 0
      ? 1
      : (relativeRarity(having, length) + relativeRarity(inStretches, stretches.length)) / 2;
  const count = Math.max(1, having);
  return rarity / Math.log(1 + (length - count + 0.5) / (count + 0.5));
}
