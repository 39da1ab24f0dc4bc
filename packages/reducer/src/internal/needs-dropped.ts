import { groupExchanges } from "@agent-history/core";
import type { HistoryEntry } from "@agent-history/core";

import { beginsTurn, fixedAs, isGone, isTrace } from "./draft.ts";
import type { HeldDecisions } from "./hold-decisions.ts";

/**
 * Tells whether a history that has changed needs what held decisions drop: a message of the turn that they end in, the newest entry and the
 * question among them, or a running exchange.
 */
export function needsDropped(
  entries: readonly HistoryEntry[],
  { decisions, planned }: HeldDecisions,
): boolean {
  let start = Math.max(0, planned - 1);
  while (start > 0 && !beginsTurn(entries, start)) start -= 1;
  const gone = new Set<HistoryEntry | undefined>();
  let place = 0;
  for (const { action, entryCount } of decisions) {
    const from = Math.max(start, place);
    place += entryCount;
    if (isGone(action) && place > from) {
      for (const entry of entries.slice(from, place)) gone.add(entry);
    }
  }
  const isKept = (entry: HistoryEntry): boolean => !gone.has(entry);
  const messages = entries.slice(start, planned).filter(isMessage);
  // A turn that is gone is whole, unless it goes on.
  const isWhole = beginsTurn(entries, planned) && !messages.some(isKept);
  if (gone.has(entries.at(-1)) || !(isWhole || messages.every(isKept))) return true;
  return groupExchanges(entries.slice(start)).some(
    (group) => group.kind === "exchange" && group.running && gone.has(group.action),
  );
}

/** A request or an answer: not what stands for itself, and not what may go before them. */
function isMessage(entry: HistoryEntry): boolean {
  const { type } = entry;
  const isDerived = type === "summary" || type === "memory";
  return !isTrace(entry) && !isDerived && type !== "attachment" && fixedAs(entry) === undefined;
}
