import type { HistoryEntry } from "@agent-history/core";

import type { Fact } from "../fact.ts";
import type { FactTally } from "./tally-facts.ts";

/** Makes public facts of tallies: positions become ids. */
export function toFact(entries: readonly HistoryEntry[]): (tally: FactTally) => Fact {
  return ({ kind, text, count, entries: positions }) => ({
    kind,
    text,
    entryIds: positions.flatMap((position) => entries[position]?.id ?? []),
    count,
  });
}
