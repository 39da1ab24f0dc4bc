import { groupExchanges, messageRole } from "@agent-history/core";
import type { HistoryEntry, Viewer } from "@agent-history/core";

import type { FitContext } from "./fit-context.ts";
import { guessEntry } from "./guess-items.ts";
import type { MaybeAsync } from "./maybe-async.ts";
import { findOpening } from "./opening.ts";
import { turnTest } from "./requests.ts";
import { fixedAs, isTrace } from "./working-plan.ts";

/** What is looked at of a history: its end, what stays wherever it stands, and the opening. */
export interface Horizon {
  /** Where the end begins. */
  readonly from: number;
  /** Places before the end of what may not be dropped. */
  readonly fixed: readonly number[];
}

/**
 * Finds what is looked at of a history: this many windows from its end, whole turns, the question included. It is all where there is a
 * scorer or no user message, and where what stays further back is part of an exchange, or carries an id that comes again, or a result at the end may
 * answer a call further back.
 */
export function* findHorizon(
  entries: readonly HistoryEntry[],
  context: FitContext,
  windows: number,
): MaybeAsync<Horizon> {
  const { budget, options, count } = context;
  let from = options.scorer === undefined ? entries.length : 0;
  for (let reach = Math.max(budget, 1) * windows; reach > 0 && from > 0;) {
    from -= 1;
    const entry = entries[from];
    const guess = entry && (yield* guessEntry(entry, context));
    const tokens = guess?.least ?? (entry === undefined ? 0 : yield* count(entry));
    // What can never fit must not hide what lies before it.
    if (tokens <= budget) reach -= tokens;
  }
  const beginsTurn = turnTest(entries, options.viewer);
  while (from > 0 && !(beginsTurn(from) && !isWithinTurn(entries, from))) from -= 1;

  const fixed: number[] = [];
  const opening = new Set(findOpening(entries, from, options));
  for (let index = 0; index < from; index++) {
    if (fixedAs(entries[index]) !== undefined || opening.has(index)) fixed.push(index);
  }
  const before = fixed.flatMap((entryIndex) => entries[entryIndex] ?? []);
  const ids = new Set(before.map(({ id }) => id));
  const isEnough =
    from > 0 &&
    ids.size === fixed.length &&
    !before.some(isTrace) &&
    !isLed(before, options.viewer) &&
    !reachesBack(entries.slice(from)) &&
    !runsBefore(entries, from) &&
    !entries.slice(from).some(({ id }) => ids.has(id));
  return isEnough ? { from, fixed } : { from: 0, fixed: [] };
}

/** Returns whether a request stands within a turn, by the names of what stands around it. */
function isWithinTurn(entries: readonly HistoryEntry[], index: number): boolean {
  const name = nextName(entries, index, 1);
  return name !== undefined && name === nextName(entries, index - 1, -1);
}

/** The name of a turn that is nearest to a place, behind it or before. */
function nextName(
  entries: readonly HistoryEntry[],
  index: number,
  step: 1 | -1,
): string | undefined {
  for (let at = index; at >= 0 && at < entries.length; at += step) {
    const turnId = entries[at]?.turnId;
    if (turnId !== undefined) return turnId;
  }
  return undefined;
}

/** Returns whether what stays begins with an answer: some request before it must stay too. The opening need not stay. */
function isLed(entries: readonly HistoryEntry[], viewer: Viewer | undefined): boolean {
  const first = entries.find(
    (entry) => fixedAs(entry) !== undefined && messageRole(entry, viewer) !== "system",
  );
  return first !== undefined && messageRole(first, viewer) !== "user";
}

/** Returns whether an agent may still wait for what it called that far back: it has said nothing since, and no user has. */
function runsBefore(entries: readonly HistoryEntry[], from: number): boolean {
  const heard = new Set<string | undefined>();
  for (let index = entries.length - 1; index >= 0; index--) {
    const { type, agent } = entries[index] ?? {};
    if (type === "user_message") return false;
    if (type === "action" && index < from && !heard.has(agent?.id)) return true;
    if (type !== "observation") heard.add(agent?.id);
  }
  return false;
}

/** Returns whether a result answers no call of its own stretch of the history, or a call was made by none of it. */
function reachesBack(entries: readonly HistoryEntry[]): boolean {
  const seen = new Set<string>();
  // A copy answers and asks nothing.
  const own = entries.filter(({ id }) => !seen.has(id) && seen.add(id));
  return groupExchanges(own).some((group) => {
    if (group.kind === "single") return group.entry.type === "observation";
    const { toolCalls } = group.action;
    const calls = new Set(toolCalls.map(({ id }) => id));
    return toolCalls.some(({ callerId }) => callerId !== undefined && !calls.has(callerId));
  });
}
