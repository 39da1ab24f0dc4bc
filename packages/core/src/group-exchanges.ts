import type { HistoryEntry } from "./history-entry.ts";
import { overReadable } from "./over-readable.ts";
import { outermostActions, pairCalls } from "./pair-calls.ts";
import type { Pairing } from "./pair-calls.ts";
import type { ActionEntry, ObservationEntry, ToolCall } from "./trace-entries.ts";

/** An action with every observation that answers it, and with the calls that its calls made: kept, shrunk, summarized or dropped as one. */
export interface Exchange {
  readonly kind: "exchange";
  /** The first of its actions: the others' calls were made by calls of the exchange. */
  readonly action: ActionEntry;
  /**
   * All of it, as it must stand: each action with its results behind it, in the order they came; a result that came after what its call
   * had called in later actions stands behind that.
   */
  readonly entries: readonly (ActionEntry | ObservationEntry)[];
  /** Each of its actions, in order; one in most exchanges. */
  readonly rounds: readonly ToolRound[];
  /** All its results, in the order of `entries`. */
  readonly observations: readonly ObservationEntry[];
  /** Calls without a result, of all its actions. */
  readonly unanswered: readonly ToolCall[];
  /** The agent has not gone on since: it waits for results, or has not yet read them. */
  readonly running: boolean;
}

/** One action of an exchange, and what answers its own calls. */
export interface ToolRound {
  readonly action: ActionEntry;
  readonly observations: readonly ObservationEntry[];
  /** Its calls without a result. */
  readonly unanswered: readonly ToolCall[];
  /** Those whose result can no longer come: the agent has gone on, and no call that they made is waited for. */
  readonly lost: readonly ToolCall[];
}

/** An entry that is not a part of an exchange; an observation here answers no call. */
export interface SingleEntry {
  readonly kind: "single";
  readonly entry: HistoryEntry;
}

/**
 * Groups each action with the observations that answer it and with the actions that its calls made, at the place of the first action. Linear.
 *
 * Calls and results are paired by agent, position and id together: an id may be used again, workers may interleave. An
 * observation that carries `actionId` answers that action and no other. Calls made by calls say so by `callerId`.
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

/** An entry of an exchange, and behind which place it stands. */
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
  // A strange entry may have no calls.
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

/** Where results stand whose calls had made calls in later actions when they came: where they came. */
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
