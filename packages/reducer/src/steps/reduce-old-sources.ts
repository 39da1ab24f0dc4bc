import { citedSources, countOption } from "@agent-history/core";
import type { EntryEdit, HistoryEntry, ObservationEntry } from "@agent-history/core";

import { firstSources, proposeResults } from "../internal/propose-results.ts";
import { textOf } from "../internal/text-of-entry.ts";
import type { ReductionItem, ReductionStep } from "../reduction-step.ts";

/**
 * Makes the step that drops sources of earlier turns that no answer cites, then the rest from the last rank on, down to a floor.
 * Numbers never change.
 *
 * @param options - `floor`: how many cited sources of each result stay. Default 1.
 */
export function reduceOldSources(options: { readonly floor?: number } = {}): ReductionStep {
  const floor = countOption("floor", options.floor ?? 1);
  return {
    name: "reduce-old-sources",
    *propose(situation) {
      const cited = new Set(situation.items.flatMap(({ entries }) => entries.flatMap(citationsOf)));
      yield* proposeResults(situation, {
        of: isOld,
        edit: (entry) => citedOnly(entry, cited),
        reason: "sources of an earlier turn that nothing cites",
      });
      yield* proposeResults(situation, {
        of: isOld,
        edit: (entry) => firstSources(entry, floor),
        reason: "sources of an earlier turn, the last ranks first",
      });
    },
  };
}

function isOld({ isOfThisTurn }: ReductionItem): boolean {
  return !isOfThisTurn;
}

function citedOnly(
  { sources = [] }: ObservationEntry,
  cited: ReadonlySet<number>,
): EntryEdit | undefined {
  const kept = sources.filter(({ number }) => cited.has(number));
  return kept.length < sources.length ? { sources: kept.map(({ number }) => number) } : undefined;
}

function citationsOf(entry: HistoryEntry): readonly number[] {
  const speaks = entry.type === "assistant_message" || entry.type === "final";
  return speaks ? citedSources(textOf(entry.content)) : [];
}
