import { isSentenceKind } from "../gate/internal/is-sentence-kind.ts";
import { quoteData } from "../gate/internal/quote-data.ts";
import type { WeighedFact } from "../gate/internal/weigh-facts.ts";
import type { SummaryItem, SummaryLine } from "./summary-line.ts";

/** Facts as they are, without anything that they belong to: the last resort. */
export function wordLines(
  facts: readonly WeighedFact[],
  bare: { readonly mayCount: boolean; readonly mayName: boolean },
): readonly SummaryLine[] {
  const items = facts.flatMap(
    ({ kind, text, isKey, origins, entries, weight }): readonly SummaryItem[] => {
      if (isSentenceKind(kind)) return [];
      // Whoever reads on has the tools, and knows their names.
      if (weight < 1 && !bare.mayName && origins.size === 1 && origins.has("name")) return [];
      // A bare number or a bare key tells a reader nothing, unless it is known to come again.
      if (weight < 1 && ((kind === "number" && !bare.mayCount) || (isKey && !bare.mayName)))
        return [];
      const quoted = quoteData(text);
      const index = entries.at(-1) ?? 0;
      return [
        {
          text: quoted.includes(" ") ? `"${quoted}"` : quoted,
          says: new Set([text]),
          worth: 0,
          index,
        },
      ];
    },
  );
  return [{ part: "words", head: "Also: ", joint: " ", end: "", items }];
}
