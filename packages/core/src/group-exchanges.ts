import type { HistoryEntry } from "./history-entry.ts";
import { overReadable } from "./over-readable.ts";
import { outermostActions, pairCalls } from "./pair-calls.ts";
import type { Pairing } from "./pair-calls.ts";
import type { ActionEntry, ObservationEntry, ToolCall } from "./trace-entries.ts";

/** A tool round: an action, every observation that answers it, and the calls that its calls made. Kept, shortened, summarized or dropped as one. */
export interface Exchange {
  readonly kind: "exchange";
  /** The first action. The calls of later ones were made by calls of this exchange. */
  readonly action: ActionEntry;
  /**
   * All entries in valid order: each action followed by its results as they arrived. If a call made calls in later actions and its result
   * arrived after theirs, it follows them.
   */
  readonly entries: readonly (ActionEntry | ObservationEntry)[];
  /** All actions, in order; usually one. */
  readonly rounds: readonly ToolRound[];
  /** All its results, in the order of `entries`. */
  readonly observations: readonly ObservationEntry[];
  /** Calls without a result, of all actions. */
  readonly unanswered: readonly ToolCall[];
  /** Still running: the agent has written nothing after it. */
  readonly running: boolean;
}

/** One action of an exchange, with the results of its own calls. */
export interface ToolRound {
  readonly action: ActionEntry;
  readonly observations: readonly ObservationEntry[];
  /** Calls without a result. */
  readonly unanswered: readonly ToolCall[];
  /** Open calls whose result can no longer arrive: the agent went on, and no call that they made is pending. */
  readonly lost: readonly ToolCall[];
}

/** An entry outside any exchange. An observation here answers no call. */
export interface SingleEntry {
  readonly kind: "single";
  readonly entry: HistoryEntry;
}

/**
 * Groups each action with its observations and with the actions that its calls made, at the position of the first action. Linear.
 *
 * Calls and results are paired by agent, position and id together, because ids may be reused and workers may interleave. An
 * observation with `actionId` answers that action and no other. A call made by another call names it in `callerId`.
 */
export function groupExchanges(
  entries: readonly HistoryEntry[],
): readonly (Exchange | SingleEntry)[] {
  return overReadable(entries, groupReadable);
}

function groupReadable(entries: readonly HistoryEntry[]): readonly (Exchange | SingleEntry)[] {
  const pairing = pairCalls(entries);
  const outermost = outermostActions(pairing);
  const late = lateIndexes(pairing);
  const members = new Map<number, Member[]>();
  for (const [index, entry] of entries.entries()) {
    const action = pairing.actionOf.get(index);
    if (entry.type === "action")
      add(outermost.get(index) ?? index, { entry, index, entryIndex: index });
    if (entry.type !== "observation" || action === undefined) continue;
    add(outermost.get(index) ?? index, { entry, action, entryIndex: late.get(index) ?? action });
  }
  return entries.flatMap((entry, index): Exchange | SingleEntry | [] => {
    const ofExchange = members.get(index);
    if (ofExchange !== undefined) return exchangeOf(ofExchange, pairing);
    return outermost.has(index) ? [] : { kind: "single", entry };
  });

  function add(first: number, member: Member): void {
    const known = members.get(first);
    if (known === undefined) members.set(first, [member]);
    else known.push(member);
  }
}

/** Returns the entries of a group. */
export function membersOf(group: Exchange | SingleEntry): readonly HistoryEntry[] {
  return group.kind === "single" ? [group.entry] : group.entries;
}

/** An entry of an exchange, and the index that it follows. */
type Member = { readonly entryIndex: number } & (
  | { readonly entry: ActionEntry; readonly index: number }
  | { readonly entry: ObservationEntry; readonly action: number }
);

function exchangeOf(members: Member[], pairing: Pairing): Exchange | [] {
  members.sort((one, other) => one.entryIndex - other.entryIndex);
  const isRunning = members.some((one) => "index" in one && pairing.running.has(one.index));
  const rounds = new Map<number, ToolRound & { readonly observations: ObservationEntry[] }>();
  const observations: ObservationEntry[] = [];
  for (const member of members) {
    if ("index" in member) {
      rounds.set(member.index, roundOf(member.entry, member.index, pairing, isRunning));
    } else {
      observations.push(member.entry);
      rounds.get(member.action)?.observations.push(member.entry);
    }
  }
  const [first] = rounds.values();
  if (first === undefined) return [];
  return {
    kind: "exchange",
    action: first.action,
    entries: members.map(({ entry }) => entry),
    rounds: [...rounds.values()],
    observations,
    unanswered: [...rounds.values()].flatMap(({ unanswered }) => unanswered),
    running: isRunning,
  };
}

function roundOf(
  action: ActionEntry,
  index: number,
  { answers, firstCalled, running }: Pairing,
  isRunning: boolean,
): ToolRound & { readonly observations: ObservationEntry[] } {
  // A malformed entry may have no calls.
  const calls = [...(action.toolCalls ?? []).entries()];
  const open = calls.filter(([call]) => answers.get(index)?.[call] === undefined);
  const mayCome = (call: number): boolean =>
    running.has(index) || (isRunning && firstCalled.get(index)?.has(call) === true);
  return {
    action,
    observations: [],
    unanswered: open.map(([, call]) => call),
    lost: open.flatMap(([entryIndex, call]) => (mayCome(entryIndex) ? [] : [call])),
  };
}

/** Results that arrived after calls which their own calls had made in later actions: they stay where they arrived. */
function lateIndexes({ answers, firstCalled }: Pairing): ReadonlyMap<number, number> {
  const indexes = new Map<number, number>();
  for (const [action, called] of firstCalled) {
    for (const [call, first] of called) {
      const result = answers.get(action)?.[call];
      if (result !== undefined && result > first) indexes.set(result, result);
    }
  }
  return indexes;
}
