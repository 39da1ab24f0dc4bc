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
  /** The actions whose agent has not gone on: it may still be waiting for results, or has not yet read them. */
  readonly running: ReadonlySet<number>;
}

/**
 * Pairs calls with their results, by agent, position and id together (L1), and calls with the calls that made them. Linear.
 *
 * An observation that names its action answers that action's first open call of its id, or nothing. Without a name it
 * answers the newest action of its agent that has an open call of its id. Each call is answered once. A `callerId` means a call of the same
 * action, else the agent's newest open call of that id, else its newest; where there is none (a program that a provider runs may be no call),
 * calls of one caller are taken together.
 */
export function pairCalls(entries: readonly HistoryEntry[]): Pairing {
  return overReadable(entries, pairReadable, NOBODYS);
}

/** Stands for what cannot be read: nobody wrote it, and it ends nothing. */
const NOBODYS: HistoryEntry = { type: "error", id: "", createdAtMs: 0, content: "" };

function pairReadable(entries: readonly HistoryEntry[]): Pairing {
  const answers = new Map<number, (number | undefined)[]>();
  const actionOf = new Map<number, number>();
  const running = new Map<string | undefined, number>();
  // The newest action comes first, and within an action its first call.
  const stacks = callStacks(answers);
  const callers = newCallers(stacks);
  const isNamed = entries.some((entry) => "actionId" in entry);
  // Of an action the first call comes on top.
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
      // A strange entry may have no calls: it must not make a reader throw.
      const toolCalls = entry.toolCalls ?? [];
      callers.find(index, toolCalls, agentId);
      answers.set(
        index,
        toolCalls.map(() => undefined),
      );
      // What an earlier exchange called is drawn to it, behind which the agent may have gone on.
      const isInner = callers.callerOf.has(index);
      const before = running.get(agentId);
      if (!isInner || (before !== undefined && callers.first(before) === callers.first(index)))
        running.set(agentId, index);
      // Also where nothing names it: what cannot be read is so alone and among others.
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

/** Finds the calls that made calls. */
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
  // A caller stands before what it called.
  for (const [inner, caller] of callerOf) outermost.set(inner, outermost.get(caller) ?? caller);
  for (const [result, action] of actionOf) outermost.set(result, outermost.get(action) ?? action);
  return outermost;
}

/** What says that an agent is done with its last action. */
const GOES_ON: ReadonlySet<string> = new Set(["assistant_message", "final", "synthesis", "task"]);

/** Begins the names that name an action. */
const OF_ACTION = "a";

/** No two different calls have one name, whatever the ids are. Quick where they are texts. */
function key(id: unknown, owner?: unknown, kind = ""): string {
  const by = owner ?? "";
  return typeof id === "string" && typeof by === "string"
    ? `${kind}${owner === undefined || owner === null ? "" : by.length}:${by}${id}`
    : JSON.stringify([id, owner, kind]);
}
