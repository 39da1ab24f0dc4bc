import type { EntryType } from "@agent-history/core";

import type { ReductionItem, ReductionProposal, ReductionSituation } from "../reduction-step.ts";
import { headAndTail } from "./propose-results.ts";
import { roomOf } from "./shorten-to-fit.ts";

/** Below this many tokens no message is long. */
const LEAST = 100;

/** How many tokens a message may have that is not long, where it may have a share of the budget. */
export function longestMessage(budget: number, share: number): number {
  return Math.max(LEAST, budget * share);
}

/**
 * Proposes to shorten messages that have more than a share of the budget, the least worthy first: to that share, or to twice, four times as much where
 * that saves enough.
 */
export function* shortenMessages(
  { items, budget, excess, currentEntry, tokensOf }: ReductionSituation,
  options: {
    readonly of: (item: ReductionItem) => boolean;
    readonly types: readonly EntryType[];
    readonly share: number;
    readonly reason: string;
  },
): Generator<ReductionProposal> {
  const { of, types, share, reason } = options;
  const most = longestMessage(budget, share);
  let left = excess;
  const long = items.filter((item) => item.tokens > most && !item.isProtected && of(item));
  for (const item of long.toSorted((one, other) => (one.score ?? 0) - (other.score ?? 0))) {
    if (item.isDropped) continue;
    for (const entry of item.entries) {
      const tokens = tokensOf(entry);
      if (tokens <= most || !types.includes(entry.type)) continue;
      // In few sizes, so that a text is not cut otherwise at every call.
      const aim = most * 2 ** Math.floor(Math.log2(Math.max(1, (tokens - left) / most)));
      // Of a message in several texts each has a marker, which may take more than its room.
      const edit = headAndTail(Math.max(0, roomOf(currentEntry(entry), aim / tokens)));
      yield { kind: "edit", entry, edit, reason };
      left -= tokens - tokensOf(entry);
    }
  }
}
