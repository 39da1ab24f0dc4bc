import { quoteData } from "../gate/internal/quote-data.ts";
import type { WeighedFact } from "../gate/internal/weigh-facts.ts";
import type { SummaryItem, SummaryLine } from "./summary-line.ts";

const COMMIT = /^(?=.*\d)(?=.*[a-f])[0-9a-f]{7,40}$/;
const MOST_ITEMS = 3;

/** Commits and links that agents named to their users, the newest first: what came of the work stands there. */
export function madeLines(facts: readonly WeighedFact[]): readonly SummaryLine[] {
  const items = facts.flatMap(({ kind, text, entries, origins }): readonly SummaryItem[] => {
    const isMade = kind === "url" || (kind === "identifier" && COMMIT.test(text));
    if (!isMade || !origins.has("assistant")) return [];
    const index = entries.at(-1) ?? 0;
    return [{ text: quoteData(text), says: new Set([text]), worth: 1, index }];
  });
  const newest = items.toSorted((one, other) => other.index - one.index).slice(0, MOST_ITEMS);
  return [{ part: "made", head: "Commits and links: ", joint: " ", end: "", items: newest }];
}
