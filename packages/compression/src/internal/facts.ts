import type { Concept, HistoryEntry, JsonValue, SummaryPart } from "@agent-history/core";

import { isObject, parseObject } from "../record/calls.ts";
import { quoteLine, sentencesOf, wordsOf } from "../record/text.ts";
import type { WriteOptions, WrittenSummary } from "../record/write-record.ts";
import { textOfEntry } from "./data-text.ts";

/** The facts of each concept, by its keyword. */
export type FactsByKeyword = ReadonlyMap<string, readonly string[]>;

/** Adds facts to the parts of earlier summaries. For a `single` fact the newest replaces the rest. */
export function factParts(
  found: FactsByKeyword,
  previous: readonly SummaryPart[],
  concepts: readonly Concept[],
): readonly SummaryPart[] {
  const at = previous.reduce((most, part) => Math.max(most, part.at + 1), 0);
  const parts = new Map(previous.map((part) => [`${part.kind}\n${part.key}`, part]));
  for (const { keyword, factType } of concepts) {
    const texts = found.get(keyword) ?? [];
    for (const text of factType === "single" ? texts.slice(0, 1) : texts) {
      const key = factType === "single" ? keyword : `${keyword}\n${text}`;
      const id = `fact\n${key}`;
      if (parts.get(id)?.text !== text)
        parts.set(id, { kind: "fact", key, text, at, note: keyword });
    }
  }
  return [...parts.values()];
}

/** Writes facts by concept, as many as fit the cap. Empty without facts. */
export function writeFacts(
  parts: readonly SummaryPart[],
  concepts: readonly Concept[],
  { maxTokens, counter }: WriteOptions,
): WrittenSummary {
  const facts = concepts.map(({ keyword }) =>
    parts.filter(({ kind, note }) => kind === "fact" && note === keyword),
  );
  const textOf = (chosen: readonly SummaryPart[]): string => {
    const lines = facts.map((some) => some.filter((fact) => chosen.includes(fact)));
    return lines
      .flatMap(([first, ...others]) =>
        first === undefined
          ? []
          : [`${quoteLine(first.note ?? "")}:`, ...[first, ...others].map(lineOf)],
      )
      .join("\n");
  };
  // Round robin over concepts, so that one with many facts leaves room for the others.
  const rounds = facts.reduce((most, { length }) => Math.max(most, length), 0);
  const inTurn = Array.from({ length: rounds }, (_, round) =>
    facts.flatMap((some) => some[round] ?? []),
  ).flat();
  let left = maxTokens;
  const chosen = inTurn.filter((fact) => {
    const tokens = counter.countText(`${fact.note ?? ""}:\n${lineOf(fact)}\n`);
    const isTaken = tokens <= left;
    if (isTaken) left -= tokens;
    return isTaken;
  });
  // Lines may count more together than alone.
  while (counter.countText(textOf(chosen)) > maxTokens) chosen.pop();
  return { text: textOf(chosen), dropped: inTurn.filter((fact) => !chosen.includes(fact)) };
}

function lineOf({ text }: SummaryPart): string {
  return `- ${quoteLine(text)}`;
}

/** Finds, without a model, the sentences that share most words with a concept: one, or at most eight. Linear. */
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

/** Parses the answer to a request for facts: the valid ones, and the problems of the rest in words for the model. */
export function readFacts(
  answer: string,
  concepts: readonly Concept[],
): { readonly found: FactsByKeyword; readonly problem?: string } {
  const found = new Map<string, readonly string[]>();
  // It may be fenced or follow a preface.
  const json = answer.slice(answer.indexOf("{"), answer.lastIndexOf("}") + 1);
  const all = parseObject(json)["facts"];
  if (!Array.isArray(all)) {
    return { found, problem: "it was no JSON as asked, with a list of `facts`" };
  }
  const problems = all.flatMap((value: JsonValue, index): readonly string[] => {
    const { keyword, facts } = isObject(value) ? value : {};
    const isKnown = concepts.some((one) => one.keyword === keyword);
    if (typeof keyword !== "string" || !isKnown) return [`facts.${index}: no such keyword`];
    const texts: readonly unknown[] = Array.isArray(facts) ? facts : [undefined];
    const good = texts.filter((fact) => typeof fact === "string");
    if (good.length < texts.length) return [`facts.${index}.facts: no list of texts`];
    const tidy = good.map((fact) => fact.replace(/\s+/g, " ").trim()).filter(Boolean);
    found.set(keyword, [...(found.get(keyword) ?? []), ...tidy]);
    return [];
  });
  if (problems.length === 0) return { found };
  return { found, problem: `it was not as asked: ${problems.slice(0, 5).join("; ")}` };
}
