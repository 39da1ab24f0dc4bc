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
    for (const text of factType === "single"
      ? (found.get(keyword) ?? []).slice(0, 1)
      : (found.get(keyword) ?? [])) {
      const key = factType === "single" ? keyword : `${keyword}\n${text}`;
      const known = parts.get(`fact\n${key}`);
      if (known?.text !== text)
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
  const chosen = new Set<SummaryPart>();
  let left = maxTokens;
  const longest = facts.reduce((most, { length }) => Math.max(most, length), 0);
  // One of each concept after the other, so that a concept with many facts leaves room for the next.
  for (let round = 0; round < longest; round++) {
    for (const [index, some] of facts.entries()) {
      const fact = some[round];
      if (fact === undefined) continue;
      const isFirst = !some.some((one) => chosen.has(one));
      const head = isFirst ? `${concepts[index]?.keyword ?? ""}:\n` : "";
      const tokens = counter.countText(`${head}- ${quoteLine(fact.text)}\n`);
      if (tokens > left) continue;
      left -= tokens;
      chosen.add(fact);
    }
  }
  const text = (): string =>
    concepts
      .flatMap(({ keyword }, index) => {
        const lines = (facts[index] ?? [])
          .filter((fact) => chosen.has(fact))
          .map((fact) => `- ${quoteLine(fact.text)}`);
        return lines.length === 0 ? [] : [`${quoteLine(keyword)}:`, ...lines];
      })
      .join("\n");
  // Lines may count more together than alone.
  for (const fact of [...chosen].toReversed()) {
    if (counter.countText(text()) <= maxTokens) break;
    chosen.delete(fact);
  }
  return { text: text(), dropped: facts.flat().filter((fact) => !chosen.has(fact)) };
}
