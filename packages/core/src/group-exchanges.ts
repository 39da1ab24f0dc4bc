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
  /** The members of each exchange, by the index of its first action. */
  const members = new Map<number, Member[]>();
  for (const [index, { type }] of entries.entries()) {
    const action = type === "action" ? index : pairing.actionOf.get(index);
    if (action === undefined) continue;
    const first = outermost.get(index) ?? index;
    const known = members.get(first) ?? [];
    members.set(first, known);
    known.push({ index, action, follows: late.get(index) ?? action });
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
  pairing: Pairing,
): Exchange | [] {
  const isRunning = members.some(({ index }) => pairing.running.has(index));
  const rounds = new Map<number, ToolRound & { readonly observations: ObservationEntry[] }>();
  const all: (ActionEntry | ObservationEntry)[] = [];
  for (const { index, action } of members.toSorted((one, other) => one.follows - other.follows)) {
    const entry = entries[index];
    if (entry?.type === "action") rounds.set(index, roundOf(entry, index, pairing, isRunning));
    else if (entry?.type === "observation") rounds.get(action)?.observations.push(entry);
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

/** Which observation answers which call, and which call made which, by index in the entries. */
export interface Pairing {
  /** For each action: for each of its calls, the index of the observation that answers it. */
  readonly answers: ReadonlyMap<number, readonly (number | undefined)[]>;
  /** For each observation that answers a call, the index of its action. */
  readonly actionOf: ReadonlyMap<number, number>;
  /** For each action with calls that an earlier action's call made, the index of that action. */
  readonly callerOf: ReadonlyMap<number, number>;
  /** For each action whose calls made calls: for each such call, the index of the first action, its own or a later one, that has one of them. */
  readonly firstCalled: ReadonlyMap<number, ReadonlyMap<number, number>>;
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
  const answers = new Map<number, (number | undefined)[]>();
  const actionOf = new Map<number, number>();
  const running = new Map<string | undefined, number>();
  const calls = callTable(answers);
  const callers = callerTable(calls);
  const isNamed = entries.some((entry) => "actionId" in entry);

  for (const [index, entry] of entries.entries()) {
    const agentId = entry.agent?.id;
    if (entry.type === "observation") {
      const { actionId, callId } = entry;
      const name =
        actionId === undefined ? key(callId, agentId) : key(callId, key(actionId), OF_ACTION);
      const open = calls.newestOpen(name);
      if (open === undefined) continue;
      answers.get(open.action)?.splice(open.call, 1, index);
      actionOf.set(index, open.action);
    } else if (entry.type === "action") {
      // A malformed entry may have no calls; readers must not throw.
      const toolCalls = entry.toolCalls ?? [];
      callers.find(index, toolCalls, agentId);
      answers.set(
        index,
        toolCalls.map(() => undefined),
      );
      // Inner actions move to the exchange that called them; the agent may have gone on after it.
      const isInner = callers.callerOf.has(index);
      const before = running.get(agentId);
      if (!isInner || (before !== undefined && callers.first(before) === callers.first(index)))
        running.set(agentId, index);
      addCalls(index, entry.id, toolCalls, agentId);
    } else if (entry.type === "user_message") running.clear();
    else if (GOES_ON.has(entry.type)) running.delete(agentId);
  }
  const { callerOf, firstCalled } = callers;
  return { answers, actionOf, callerOf, firstCalled, running: new Set(running.values()) };

  function addCalls(
    index: number,
    actionId: string,
    toolCalls: readonly ToolCall[],
    agentId: string | undefined,
  ): void {
    // Read even if nothing refers to it, so that an unreadable entry throws alone as well as among others.
    const own = key(actionId);
    // In reverse: within an action, the first open call is the newest.
    for (const [call, { id }] of [...toolCalls.entries()].toReversed()) {
      calls.add(key(id, agentId), { action: index, call });
      if (isNamed) calls.add(key(id, own, OF_ACTION), { action: index, call });
    }
  }
}

/** A call: the index of its action, and its index within the action. */
interface CallLocation {
  readonly action: number;
  readonly call: number;
}

/** Calls by key. */
interface CallTable {
  readonly add: (name: string, location: CallLocation) => void;
  readonly newestOpen: (name: string) => CallLocation | undefined;
  readonly newest: (name: string) => CallLocation | undefined;
}

function callTable(answers: Pairing["answers"]): CallTable {
  const newest = new Map<string, CallLocation>();
  /** Oldest first. Answered calls are removed once they are the last. */
  const open = new Map<string, CallLocation[]>();
  return {
    add: (name, location) => {
      newest.set(name, location);
      const known = open.get(name);
      if (known === undefined) open.set(name, [location]);
      else known.push(location);
    },
    newestOpen: (name) => {
      const known = open.get(name) ?? [];
      for (let last = known.at(-1); last !== undefined; last = known.at(-1)) {
        if (answers.get(last.action)?.[last.call] === undefined) return last;
        known.pop();
      }
      return undefined;
    },
    newest: (name) => newest.get(name),
  };
}

interface CallerTable extends Pick<Pairing, "callerOf" | "firstCalled"> {
  readonly find: (index: number, calls: readonly ToolCall[], agentId: string | undefined) => void;
  /** The first action of the exchange that an action is part of. */
  readonly first: (action: number) => number;
}

/** Finds calls that made other calls. */
function callerTable(known: CallTable): CallerTable {
  const callerOf = new Map<number, number>();
  const firstCalled = new Map<number, Map<number, number>>();
  const firsts = new Map<number, number>();
  const unknown = new Map<string, number>();
  const first = (action: number): number => firsts.get(action) ?? action;
  return {
    callerOf,
    firstCalled,
    first,
    find: (index, calls, agentId) => {
      const inner = calls.filter(({ callerId }) => callerId !== undefined);
      if (inner.length === 0) return;
      const own = new Map(calls.map(({ id }, call) => [id, { action: index, call }]));
      for (const { callerId = "" } of inner) {
        const name = key(callerId, agentId);
        const location = own.get(callerId) ?? known.newestOpen(name) ?? known.newest(name);
        const action = location?.action ?? unknown.get(name);
        if (action !== undefined && action !== index && !callerOf.has(index)) {
          callerOf.set(index, action);
          firsts.set(index, first(action));
        }
        if (location === undefined || action === undefined) {
          unknown.set(name, index);
          continue;
        }
        const { call } = location;
        const called = firstCalled.get(action) ?? new Map<number, number>();
        if (!called.has(call)) firstCalled.set(action, called.set(call, index));
      }
    },
  };
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
