import type { ActionEntry, HistoryEntry, ObservationEntry, ToolCall } from "./history-entry.ts";
import { overReadable } from "./over-readable.ts";

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
  const late = lateResults(pairing);
  /** The members of each exchange, by the index of its first action. */
  const members = new Map<number, Member[]>();
  for (const [index, { type }] of entries.entries()) {
    const action = type === "action" ? index : pairing.actionOf.get(index);
    if (action === undefined) continue;
    const first = outermost.get(index) ?? index;
    const known = members.get(first) ?? [];
    members.set(first, known);
    known.push({ index, action, follows: late.has(index) ? index : action });
  }
  return entries.flatMap((entry, index): Exchange | SingleEntry | [] => {
    const ofExchange = members.get(index);
    if (ofExchange !== undefined) return exchangeOf(entries, ofExchange, pairing);
    return outermost.has(index) ? [] : { kind: "single", entry };
  });
}

/** Returns the entries of a group. */
export function membersOf(group: Exchange | SingleEntry): readonly HistoryEntry[] {
  return group.kind === "single" ? [group.entry] : group.entries;
}

/** An action of an exchange, or a result: the indexes of the entry, of its action, and of the entry that it follows. */
interface Member {
  readonly index: number;
  readonly action: number;
  readonly follows: number;
}

function exchangeOf(
  entries: readonly HistoryEntry[],
  members: readonly Member[],
  { calls, running }: Pairing,
): Exchange | [] {
  const isRunning = members.some(({ index }) => running.has(index));
  const rounds = new Map<number, ToolRound & { readonly observations: ObservationEntry[] }>();
  const all: (ActionEntry | ObservationEntry)[] = [];
  const unanswered: ToolCall[] = [];
  for (const { index, action } of members.toSorted((one, other) => one.follows - other.follows)) {
    const entry = entries[index];
    if (entry?.type === "action") {
      const open = (calls.get(index) ?? []).filter(({ result }) => result === undefined);
      const mayCome = ({ made }: PairedCall): boolean =>
        running.has(index) || (isRunning && made !== undefined);
      const lost = open.flatMap((one) => (mayCome(one) ? [] : one.call));
      for (const { call } of open) unanswered.push(call);
      rounds.set(index, { action: entry, observations: [], lost });
    } else if (entry?.type === "observation") rounds.get(action)?.observations.push(entry);
    else continue;
    all.push(entry);
  }
  const [first] = rounds.values();
  if (first === undefined) return [];
  return {
    kind: "exchange",
    action: first.action,
    entries: all,
    rounds: [...rounds.values()],
    observations: all.filter((entry) => entry.type === "observation"),
    unanswered,
    running: isRunning,
  };
}

/** Results that arrived after calls which their own calls had made in later actions: they stay where they arrived. */
function lateResults({ calls }: Pairing): ReadonlySet<number> {
  const late = new Set<number>();
  for (const { result, made } of [...calls.values()].flat()) {
    if (result !== undefined && made !== undefined && result > made) late.add(result);
  }
  return late;
}

/** A call, and what was made of it. */
export interface PairedCall {
  readonly call: ToolCall;
  /** Index of its action. */
  readonly action: number;
  /** Index of the observation that answers it. */
  result?: number;
  /** Index of the first action, its own or a later one, with a call that it made. */
  made?: number;
}

/** Which observation answers which call, and which call made which, by index in the entries. */
export interface Pairing {
  /** The calls of each action. */
  readonly calls: ReadonlyMap<number, readonly PairedCall[]>;
  /** For each observation that answers a call, the index of its action. */
  readonly actionOf: ReadonlyMap<number, number>;
  /** For each action with calls that an earlier action's call made, the index of that action. */
  readonly callerOf: ReadonlyMap<number, number>;
  /** Running actions: their agent has written nothing after them. */
  readonly running: ReadonlySet<number>;
}

/**
 * Pairs calls with their results, by agent, position and id together (L1), and calls with the calls that made them. Linear.
 *
 * An observation that names its action answers that action's first open call of its id, or nothing. Without a name it
 * answers the newest action of its agent that has an open call of its id. Each call is answered once. A `callerId` means a call of the same
 * action, else the agent's newest open call of that id, else its newest; if there is none (a provider's program may not be a call),
 * calls of one caller are grouped together.
 */
export function pairCalls(entries: readonly HistoryEntry[]): Pairing {
  return overReadable(entries, pairReadable, NOBODYS);
}

/** Placeholder for an unreadable entry: it has no agent and ends no action. */
const NOBODYS: HistoryEntry = { type: "error", id: "", createdAtMs: 0, content: "" };

function pairReadable(entries: readonly HistoryEntry[]): Pairing {
  const calls = new Map<number, readonly PairedCall[]>();
  const actionOf = new Map<number, number>();
  const running = new Map<string | undefined, number>();
  const known = callTable();
  const { callerOf, first, findCallers } = callerTable(known);
  const isNamed = entries.some((entry) => "actionId" in entry);
  for (const [index, entry] of entries.entries()) {
    const agentId = entry.agent?.id;
    if (entry.type === "observation") {
      const { actionId, callId } = entry;
      const name =
        actionId === undefined ? key(callId, agentId) : key(callId, key(actionId), OF_ACTION);
      const open = known.newestOpen(name);
      if (open === undefined) continue;
      open.result = index;
      actionOf.set(index, open.action);
    } else if (entry.type === "action") {
      // A malformed entry may have no calls; readers must not throw.
      const own = (entry.toolCalls ?? []).map((call): PairedCall => ({ call, action: index }));
      calls.set(index, own);
      findCallers(index, own, agentId);
      // Inner actions move to the exchange that called them; the agent may have gone on after it.
      const before = running.get(agentId);
      if (!callerOf.has(index) || (before !== undefined && first(before) === first(index)))
        running.set(agentId, index);
      // Read even if nothing refers to it, so that an unreadable entry throws alone as well as among others.
      const name = key(entry.id);
      known.add(own, (id) => key(id, agentId));
      if (isNamed) known.add(own, (id) => key(id, name, OF_ACTION));
    } else if (entry.type === "user_message") running.clear();
    else if (GOES_ON.has(entry.type)) running.delete(agentId);
  }
  return { calls, actionOf, callerOf, running: new Set(running.values()) };
}

type CallTable = ReturnType<typeof callTable>;

/** Calls by key. */
function callTable() {
  const newest = new Map<string, PairedCall>();
  /** Oldest first. Answered calls are removed once they are the last. */
  const open = new Map<string, PairedCall[]>();
  const add = (calls: readonly PairedCall[], nameOf: (id: string) => string): void => {
    // In reverse: within an action, the first open call is the newest.
    for (const call of calls.toReversed()) {
      const name = nameOf(call.call.id);
      newest.set(name, call);
      const same = open.get(name);
      if (same === undefined) open.set(name, [call]);
      else same.push(call);
    }
  };
  const newestOpen = (name: string): PairedCall | undefined => {
    const same = open.get(name) ?? [];
    while (same.at(-1)?.result !== undefined) same.pop();
    return same.at(-1);
  };
  return { newest, add, newestOpen };
}

/** Finds calls that made other calls. */
function callerTable({ newest, newestOpen }: CallTable) {
  const callerOf = new Map<number, number>();
  const firsts = new Map<number, number>();
  /** The newest action of each caller that is not a call. */
  const strangers = new Map<string, number>();
  /** Returns the first action of the exchange that an action is part of. */
  const first = (action: number): number => firsts.get(action) ?? action;
  const findCallers = (index: number, own: readonly PairedCall[], agentId?: string): void => {
    const inner = own.flatMap(({ call }) => call.callerId ?? []);
    const byId = new Map(inner.length === 0 ? [] : own.map((one) => [one.call.id, one]));
    for (const callerId of inner) {
      const name = key(callerId, agentId);
      const caller = byId.get(callerId) ?? newestOpen(name) ?? newest.get(name);
      const action = caller?.action ?? strangers.get(name);
      if (action !== undefined && action !== index && !callerOf.has(index)) {
        callerOf.set(index, action);
        firsts.set(index, first(action));
      }
      if (caller === undefined) strangers.set(name, index);
      else caller.made ??= index;
    }
  };
  return { callerOf, first, findCallers };
}

/** For each inner action and each observation that answers a call, the index of the outermost action of its exchange. */
export function outermostActions({
  actionOf,
  callerOf,
}: Pick<Pairing, "actionOf" | "callerOf">): ReadonlyMap<number, number> {
  const outermost = new Map<number, number>();
  // A caller precedes the calls that it made.
  for (const [inner, caller] of callerOf) outermost.set(inner, outermost.get(caller) ?? caller);
  for (const [result, action] of actionOf) outermost.set(result, outermost.get(action) ?? action);
  return outermost;
}

/** Entry types that end an agent's last action. */
const GOES_ON: ReadonlySet<string> = new Set(["assistant_message", "final", "synthesis", "task"]);

/** Prefix of keys that include an action id. */
const OF_ACTION = "a";

/** A unique key for each call, whatever the ids are. */
function key(id: unknown, owner?: unknown, kind = ""): string {
  return JSON.stringify([id, owner, kind]);
}
