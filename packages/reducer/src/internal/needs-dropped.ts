import { findQuestion, groupExchanges, messageRole } from "@agent-history/core";
import type { HistoryEntry, Viewer } from "@agent-history/core";

import type { HeldDecisions } from "./hold-decisions.ts";
import { isMessage, partsOf, requestTest, turnTest } from "./requests.ts";
import { isGone } from "./working-plan.ts";

/**
 * Returns whether a history that has changed needs what held decisions drop: a message of the turn that they end in, the newest entry and the
 * question among them, what kept the roles of a turn that is over apart, or a running exchange.
 *
 * @param isWhole - Look at all turns, not at the last alone.
 */
export function needsDropped(
  entries: readonly HistoryEntry[],
  { decisions, planned, isSame }: HeldDecisions,
  { viewer, isWhole }: { readonly viewer: Viewer | undefined; readonly isWhole: boolean },
): boolean {
  const beginsTurn = turnTest(entries, viewer);
  let start = isWhole ? 0 : Math.max(0, planned - 1);
  while (start > 0 && !beginsTurn(start)) start -= 1;
  const question = findQuestion(entries, viewer);
  const gone = new Set<HistoryEntry | undefined>();
  let index = 0;
  for (const { action, entryCount } of decisions) {
    const from = Math.max(start, index);
    index += entryCount;
    // What was shortened while another question was being answered may be the question now.
    if (action.kind === "edit" && entries.slice(from, index).some((entry) => entry === question)) {
      return true;
    }
    if (isGone(action) && index > from) {
      for (const entry of entries.slice(from, index)) gone.add(entry);
    }
  }
  if (gone.has(entries.at(-1)) || (question !== undefined && gone.has(question))) return true;
  const isKept = (entry: HistoryEntry): boolean => !gone.has(entry);
  const asks = requestTest(entries, viewer);
  for (let from = start; from < planned;) {
    let end = from + 1;
    while (end < entries.length && !beginsTurn(end)) end += 1;
    const turn = entries.slice(from, end);
    const isOver = end < entries.length;
    const parts = isOver ? partsOf(turn, asks, viewer) : turn.filter(isMessage);
    // Where turns are read anew, what asks now may have been a note of a turn that stayed.
    const stays = isWhole && !isSame ? turn.filter(isMessage) : parts;
    // What of the turn that is being answered had no room has none now, where nothing changed.
    const isTorn = !parts.every(isKept) && (isOver ? stays.some(isKept) : !isSame);
    // A request leads to what is pinned in its turn without its answer, too.
    const isLead =
      turn.some((entry) => entry.pinned === true && isKept(entry)) &&
      parts.every((entry) => isKept(entry) || !asks(entry));
    if (isTorn && !isLead) return true;
    if (isOver && repeatsRole(turn, isKept, viewer)) return true;
    from = end;
  }
  return groupExchanges(entries.slice(start)).some(
    (group) => group.kind === "exchange" && group.running && gone.has(group.action),
  );
}

/** Returns whether in a turn two messages have one role between which others are gone. While the turn was being answered its newest entry may have stayed so. */
function repeatsRole(
  turn: readonly HistoryEntry[],
  isKept: (entry: HistoryEntry) => boolean,
  viewer: Viewer | undefined,
): boolean {
  let last: HistoryEntry | undefined;
  let isParted = false;
  return turn.some((entry) => {
    const role = messageRole(entry, viewer);
    if (role === "system") return false;
    const isSame = last !== undefined && role === messageRole(last, viewer);
    if (!isKept(entry)) {
      isParted ||= !isSame;
      return false;
    }
    const isRepeated = isParted && isSame && [last, entry].every((one) => one && isMessage(one));
    last = entry;
    isParted = false;
    return isRepeated;
  });
}
