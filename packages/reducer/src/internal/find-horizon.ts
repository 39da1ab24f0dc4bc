import { groupExchanges } from "@agent-history/core";
import type { HistoryEntry } from "@agent-history/core";

import { beginsTurn, fixedAs, isTrace } from "./draft.ts";
import { findOpening } from "./opening.ts";
import type { Request } from "./request.ts";
import type { Task } from "./task.ts";

/** What is looked at of a history: its end, what stays wherever it stands, and the opening. */
export interface Horizon {
  /** Where the end begins. */
  readonly from: number;
  /** Places before the end of what may not be dropped. */
  readonly fixed: readonly number[];
}

/**
 * Finds what is looked at of a history: so many windows from its end, whole turns, the question included. It is all where there is a
 * scorer or no user message, and where what stays further back is part of an exchange, or bears an id that comes again, or a result at the end may
 * answer a call further back.
 */
export function* findHorizon(
  entries: readonly HistoryEntry[],
  { budget, options, count }: Request,
  windows: number,
): Task<Horizon> {
  let from = options.scorer === undefined ? entries.length : 0;
  for (let reach = budget * windows; reach > 0 && from > 0;) {
    from -= 1;
    const entry = entries[from];
    const tokens = entry === undefined ? 0 : yield* count(entry);
    // What can never fit must not hide what lies before it.
    if (tokens <= budget) reach -= tokens;
  }
  while (from > 0 && !beginsTurn(entries, from)) from -= 1;

  const fixed: number[] = [];
  const opening = new Set(findOpening(entries, from, options));
  for (let place = 0; place < from; place++) {
    if (fixedAs(entries[place]) !== undefined || opening.has(place)) fixed.push(place);
  }
  const before = fixed.flatMap((place) => entries[place] ?? []);
  const ids = new Set(before.map(({ id }) => id));
  const isEnough =
    from > 0 &&
    ids.size === fixed.length &&
    !before.some(isTrace) &&
    !reachesBack(entries.slice(from)) &&
    !entries.slice(from).some(({ id }) => ids.has(id));
  return isEnough ? { from, fixed } : { from: 0, fixed: [] };
}

/** Tells whether a result answers no call of its own stretch of the history, or a call was made by none of it. */
function reachesBack(entries: readonly HistoryEntry[]): boolean {
  return groupExchanges(entries).some((group) => {
    if (group.kind === "single") return group.entry.type === "observation";
    const { toolCalls } = group.action;
    const own = new Set(toolCalls.map(({ id }) => id));
    return toolCalls.some(({ callerId }) => callerId !== undefined && !own.has(callerId));
  });
}
