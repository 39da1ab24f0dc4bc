import type { Concept, SummaryPart } from "@agent-history/core";

import { quoteLine } from "../record/quote.ts";
import type { WriteOptions, WrittenSummary } from "../record/write-parts.ts";

/** The facts of each concept, by its keyword. */
export type FactsByKeyword = ReadonlyMap<string, readonly string[]>;

/** Adds facts to the parts of earlier summaries. Of a single fact the newest holds. */
export function factParts(
  found: FactsByKeyword,
  {
    previous,
    concepts = [],
  }: { readonly previous: readonly SummaryPart[]; readonly concepts?: readonly Concept[] },
): readonly SummaryPart[] {
  const at = previous.reduce((most, part) => Math.max(most, part.at + 1), 0);
  const parts = new Map(previous.map((part) => [`${part.kind}\n${part.key}`, part]));
  for (const { keyword, factType } of concepts) {
    const isSingle = factType === "single";
    for (const text of (found.get(keyword) ?? []).slice(0, isSingle ? 1 : Infinity)) {
      const key = isSingle ? keyword : `${keyword}\n${text}`;
      if (parts.get(`fact\n${key}`)?.text !== text)
        parts.set(`fact\n${key}`, { kind: "fact", key, text, at, note: keyword });
    }
  }
  return [...parts.values()];
}

/** Writes facts by concept, as many as fit the cap, and nothing else. Empty where there are none. */
export function writeFacts(
  parts: readonly SummaryPart[],
  concepts: readonly Concept[],
  { maxTokens, counter }: WriteOptions,
): WrittenSummary {
  const facts = concepts.map(({ keyword }) =>
    parts.filter(({ kind, note }) => kind === "fact" && note === keyword),
  );
  const textOf = (chosen: ReadonlySet<SummaryPart>): string =>
    concepts
      .flatMap(({ keyword }, index) => {
        const own = (facts[index] ?? []).filter((fact) => chosen.has(fact));
        if (own.length === 0) return [];
        return [`${quoteLine(keyword)}:`, ...own.map(({ text }) => `- ${quoteLine(text)}`)];
      })
      .join("\n");
  // One of each concept after the other, so that a concept with many facts leaves room for the next.
  const longest = facts.reduce((most, { length }) => Math.max(most, length), 0);
  const inTurn = Array.from({ length: longest }, (_, round) =>
    facts.flatMap((some) => some[round] ?? []),
  ).flat();
  const chosen = new Set<SummaryPart>();
  let left = maxTokens;
  for (const fact of inTurn) {
    const tokens = counter.countText(`${fact.note ?? ""}:\n- ${quoteLine(fact.text)}\n`);
    if (tokens > left) continue;
    left -= tokens;
    chosen.add(fact);
  }
  // Lines may count more together than alone.
  for (const fact of [...chosen].toReversed()) {
    if (counter.countText(textOf(chosen)) <= maxTokens) break;
    chosen.delete(fact);
  }
  return { text: textOf(chosen), dropped: inTurn.filter((fact) => !chosen.has(fact)) };
}
