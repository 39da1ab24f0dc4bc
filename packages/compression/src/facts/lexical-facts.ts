import type { Concept, HistoryEntry } from "@agent-history/core";

import { textOfEntry } from "../internal/text-of-entry.ts";
import type { FactsByKeyword } from "./fact-parts.ts";

/** Finds without a model the sentences that share most words with a concept: one, or at most eight. Linear. */
export function lexicalFacts(
  entries: readonly HistoryEntry[],
  concepts: readonly Concept[],
): FactsByKeyword {
  const sentences = entries.flatMap((entry) => sentencesOf(textOfEntry(entry)));
  const words = sentences.map((sentence) => new Set(stemsOf(sentence)));
  return new Map(
    concepts.map(({ keyword, description, factType }) => {
      const names = new Set(stemsOf(keyword));
      const wanted = new Set([...names, ...stemsOf(description)]);
      const scored = sentences.flatMap((sentence, index) => {
        let score = 0;
        for (const word of wanted) {
          if (words[index]?.has(word) === true) score += names.has(word) ? 2 : 1;
        }
        return score === 0 ? [] : [{ sentence, index, score }];
      });
      const best = scored
        .toSorted((one, other) => other.score - one.score || other.index - one.index)
        .slice(0, factType === "single" ? 1 : MOST_FACTS)
        .toSorted((one, other) => one.index - other.index)
        .map(({ sentence }) => sentence);
      return [keyword, [...new Set(best)]];
    }),
  );
}

const MOST_FACTS = 8;
const LONGEST_SENTENCE = 400;

function sentencesOf(text: string): readonly string[] {
  return text
    .split(/\n+|(?<=[.!?])\s|(?<=[。！？])/u)
    .map((sentence) => sentence.trim())
    .filter(({ length }) => length > 8 && length <= LONGEST_SENTENCE);
}

/** Words of four letters or more by their first six, and words of scripts without spaces by pairs of letters. */
function stemsOf(text: string): readonly string[] {
  const spaced = text.replace(/([a-z])([A-Z])/g, "$1 $2").toLowerCase();
  const words = spaced.match(/[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}\d]{4,}/gu) ?? [];
  const dense = spaced.match(
    /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]{2,}/gu,
  );
  const pairs = (dense ?? []).flatMap((run) =>
    Array.from({ length: run.length - 1 }, (_, index) => run.slice(index, index + 2)),
  );
  return [...words.filter((word) => !COMMON.has(word)).map((word) => word.slice(0, 6)), ...pairs];
}

const COMMON: ReadonlySet<string> = new Set(
  "about also been brief could details each etcetera every from have including into like more most other should some such than that their them then there these they this those what when where whether which while will with would your user users".split(
    " ",
  ),
);
