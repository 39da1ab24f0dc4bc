import type { HistoryEntry, ObservationEntry } from "@agent-history/core";

import type { ReductionProposal, ReductionSituation } from "../reduction-step.ts";
import { firstSources } from "./propose-results.ts";
import { textOf } from "./text-of-entry.ts";

/**
 * Takes the last sources of results, by rank, until enough is saved or each has one. How many stay is guessed from their lengths, and
 * guessed again where that leaves too much.
 *
 * @returns What of the excess is left.
 */
export function* loseSources(
  entries: readonly HistoryEntry[],
  situation: ReductionSituation,
  options: { readonly excess: number; readonly reason: string },
): Generator<ReductionProposal, number> {
  const { tokensOf, currentEntry } = situation;
  const { reason } = options;
  let { excess } = options;
  let count = Infinity;
  for (let round = 1; excess > 0 && count > 1; round++) {
    const most = round > 3 ? Math.floor(count / 2) : count - 1;
    count = Math.max(1, Math.min(countThatStays(entries, situation, excess), most));
    for (const entry of entries) {
      const before = tokensOf(entry);
      const current = currentEntry(entry);
      const edit = current.type === "observation" ? firstSources(current, count) : undefined;
      if (edit === undefined || excess <= 0) continue;
      yield { kind: "edit", entry, edit, reason };
      excess -= before - tokensOf(entry);
    }
  }
  return excess;
}

/** How many sources each result may have, so that about this many tokens are saved. */
function countThatStays(
  entries: readonly HistoryEntry[],
  { tokensOf, currentEntry }: ReductionSituation,
  excess: number,
): number {
  const tokensAt: number[] = [];
  for (const entry of entries) {
    const current = currentEntry(entry);
    if (current.type !== "observation") continue;
    const lengths = lengthsOf(current);
    const whole = lengths.reduce((sum, length) => sum + length, textOf(current.content).length);
    for (const [rank, length] of lengths.entries())
      tokensAt[rank] = (tokensAt[rank] ?? 0) + (tokensOf(entry) * length) / whole;
  }
  let saved = 0;
  return tokensAt.findLastIndex((tokens) => (saved += tokens) >= excess);
}

function lengthsOf({ sources = [] }: ObservationEntry): readonly number[] {
  return sources.map(
    ({ title = "", text, uri = "" }) => title.length + text.length + uri.length + 1,
  );
}
