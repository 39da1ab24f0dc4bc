import { groupExchanges, messageRole } from "@agent-history/core";
import type { HistoryEntry, Viewer } from "@agent-history/core";

import { isAnswer, isUsers } from "./blocks.ts";
import type { Context } from "./context.ts";
import { fixedAs, isTaskFor, isTrace } from "./parse.ts";
import { guessOf } from "./room.ts";

/** The part of a history that is read: its end, and earlier entries that are always kept. */
export interface Horizon {
  readonly from: number;
  /** Indexes of entries before `from` that are kept. */
  readonly fixed: readonly number[];
}

const ALL: Horizon = { from: 0, fixed: [] };

/**
 * Finds the part to read: whole turns from the end, up to `windows` times the budget. Reads everything if there is a scorer, or if entries kept further back cannot be read on their own.
 */
export function findHorizon(entries: readonly HistoryEntry[], context: Context): Horizon {
  const { budget, options, windows } = context;
  if (options.scorer !== undefined) return ALL;
  let from = entries.length;
  for (let reach = Math.max(budget, 1) * windows; reach > 0 && from > 0;) {
    from -= 1;
    const entry = entries[from];
    if (entry === undefined) continue;
    const tokens = guessOf(entry, context)?.least ?? context.count(entry);
    // An entry that can never fit must not hide the entries before it.
    if (tokens <= budget) reach -= tokens;
  }
  const beginsTurn = turnTest(entries, options.viewer);
  while (from > 0 && !beginsTurn(from)) from -= 1;
  if (from === 0) return ALL;
  const fixed: number[] = [];
  const before: HistoryEntry[] = [];
  const first = findFirst(entries, from, context);
  for (const [index, entry] of entries.slice(0, from).entries()) {
    if (fixedAs(entry) === undefined && !first.has(index)) continue;
    fixed.push(index);
    before.push(entry);
  }
  const ids = new Set(before.map(({ id }) => id));
  const end = entries.slice(from);
  // A kept entry that is not a user message needs the request that it follows.
  const isLed = before.some(
    (entry) =>
      fixedAs(entry) !== undefined &&
      !["system", "user"].includes(messageRole(entry, options.viewer)),
  );
  const isEnough =
    ids.size === fixed.length && !isLed && !end.some(({ id }) => ids.has(id)) && !reachesBack(end);
  return isEnough ? { from, fixed } : ALL;
}

/** Returns a test for indexes where a turn begins: at the first of consecutive requests. */
export function turnTest(
  entries: readonly HistoryEntry[],
  viewer: Viewer | undefined,
): (index: number) => boolean {
  const asks = askTest(entries, viewer);
  return (index) => {
    if (!asks(entries[index])) return false;
    let at = index - 1;
    while (BESIDE.has(entries[at]?.type ?? "")) at -= 1;
    return !asks(entries[at]);
  };
}

/** Returns a test for requests: user messages or, in a log without any, the viewer's tasks. */
export function askTest(
  entries: readonly HistoryEntry[],
  viewer: Viewer | undefined,
): (entry: HistoryEntry | undefined) => boolean {
  let isSaid: boolean | undefined;
  return (entry) => {
    if (entry === undefined || isUsers(entry)) return entry !== undefined;
    if (viewer?.agentId === undefined || !isTaskFor(entry, viewer)) return false;
    // Only a task makes a look through the log necessary.
    return !(isSaid ??= entries.findLastIndex(isUsers) >= 0);
  };
}

/** Entry types that may occur between the messages of one request in a log that is not repaired yet. */
export const BESIDE: ReadonlySet<string> = new Set([
  "attachment",
  "observation",
  "memory",
  "summary",
  "system_message",
]);

/** Finds the first request before an index and the last answer to it, or its last exchange if it has none, if they are kept. */
function findFirst(
  entries: readonly HistoryEntry[],
  from: number,
  { options: { viewer }, firstRequestShare }: Context,
): ReadonlySet<number> {
  const beginsTurn = turnTest(entries, viewer);
  const begin = firstRequestShare === 0 ? -1 : entries.findIndex((_, at) => beginsTurn(at));
  if (begin < 0 || begin >= from) return new Set();
  const next = entries.findIndex((_, at) => at > begin && (at === from || beginsTurn(at)));
  const turn = entries.slice(0, next);
  const answer = turn.findLastIndex(
    (entry, at) => at > begin && fixedAs(entry) === undefined && isAnswer(entry, viewer),
  );
  const end = answer < 0 ? lastExchange(turn) : [answer];
  const asks = askTest(entries, viewer);
  return new Set(
    end.length === 0 ? [] : [...turn.keys()].filter((at) => asks(turn[at])).concat(end),
  );
}

/** Returns the indexes of the last exchange of a turn, if nothing but its results follows its calls and each has one. */
function lastExchange(turn: readonly HistoryEntry[]): readonly number[] {
  const from = turn.findLastIndex(({ type }) => type === "action");
  const end = turn.slice(Math.max(0, from));
  const [group, ...others] = groupExchanges(end);
  if (group?.kind !== "exchange" || others.length > 0 || group.unanswered.length > 0) return [];
  return reachesBack(end) ? [] : group.entries.map((_, nth) => from + nth);
}

/** Returns whether a result answers a call outside these entries, or a call was made by a call outside them. */
function reachesBack(entries: readonly HistoryEntry[]): boolean {
  if (!entries.some(isTrace)) return false;
  const seen = new Set<string>();
  const own = entries.filter(({ id }) => !seen.has(id) && seen.add(id));
  return groupExchanges(own).some((group) => {
    if (group.kind === "single") return group.entry.type === "observation";
    const { toolCalls } = group.action;
    const calls = new Set(toolCalls.map(({ id }) => id));
    return toolCalls.some(({ callerId }) => callerId !== undefined && !calls.has(callerId));
  });
}
