import type { HistoryEntry } from "./history-entry.ts";
import { callStacks } from "./internal/call-stacks.ts";
import type { CallStacks } from "./internal/call-stacks.ts";
import { overReadable } from "./over-readable.ts";
import type { ToolCall } from "./trace-entries.ts";

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
  // Newest action first; within an action, its first call first.
  const stacks = callStacks(answers);
  const callers = newCallers(stacks);
  const isNamed = entries.some((entry) => "actionId" in entry);
  // Push in reverse: the first call is popped first.
  const push = (
    action: number,
    calls: readonly ToolCall[],
    nameOf: (id: string) => string,
  ): void => {
    for (const [call, { id }] of [...calls.entries()].toReversed())
      stacks.push(nameOf(id), { action, call });
  };

  for (const [index, entry] of entries.entries()) {
    const agentId = entry.agent?.id;
    if (entry.type === "observation") {
      const { actionId, callId } = entry;
      const name =
        actionId === undefined ? key(callId, agentId) : key(callId, key(actionId), OF_ACTION);
      const open = stacks.open(name);
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
      // Read even if nothing refers to it, so that an unreadable entry throws alone as well as among others.
      const own = key(entry.id);
      push(index, toolCalls, (id) => key(id, agentId));
      if (isNamed) push(index, toolCalls, (id) => key(id, own, OF_ACTION));
    } else if (entry.type === "user_message") running.clear();
    else if (GOES_ON.has(entry.type)) running.delete(agentId);
  }
  const { callerOf, firstCalled } = callers;
  return { answers, actionOf, callerOf, firstCalled, running: new Set(running.values()) };
}

interface Callers extends Pick<Pairing, "callerOf" | "firstCalled"> {
  readonly find: (index: number, calls: readonly ToolCall[], agentId: string | undefined) => void;
  /** The first action of the exchange that an action is part of. */
  readonly first: (action: number) => number;
}

/** Finds calls that made other calls. */
function newCallers(stacks: CallStacks): Callers {
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
        const location = own.get(callerId) ?? stacks.open(name) ?? stacks.newest(name);
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

/** A unique key for each call, whatever the ids are. Fast for string ids. */
function key(id: unknown, owner?: unknown, kind = ""): string {
  const by = owner ?? "";
  return typeof id === "string" && typeof by === "string"
    ? `${kind}${owner === undefined || owner === null ? "" : by.length}:${by}${id}`
    : JSON.stringify([id, owner, kind]);
}
