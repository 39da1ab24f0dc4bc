import type { HistoryEntry } from "./history-entry.ts";

/** Which observation answers which call, by index in the entries. */
export interface Pairing {
  /** For each action: for each of its calls, the index of the observation that answers it. */
  readonly answers: ReadonlyMap<number, readonly (number | undefined)[]>;
  /** For each observation that answers a call, the index of its action. */
  readonly actionOf: ReadonlyMap<number, number>;
  /** The actions whose agent has not gone on: it may still be waiting for results, or has not yet read them. */
  readonly running: ReadonlySet<number>;
}

/**
 * Pairs calls with their results, by agent, position and id together (L1). Linear.
 *
 * An observation that names its action answers that action's first open call of its id, or nothing. Without a name it
 * answers the newest action of its agent that has an open call of its id. Each call is answered once.
 */
export function pairCalls(entries: readonly HistoryEntry[]): Pairing {
  const answers = new Map<number, (number | undefined)[]>();
  const actionOf = new Map<number, number>();
  const running = new Map<string | undefined, number>();
  // Stacks: the newest action comes first, and within an action its first call.
  const waiting = new Map<string, [action: number, call: number][]>();
  const isOpen = ([action, call]: [number, number]): boolean =>
    answers.get(action)?.[call] === undefined;

  for (const [index, entry] of entries.entries()) {
    const agentId = entry.agent?.id;
    if (entry.type === "observation") {
      const { actionId, callId } = entry;
      const name = actionId === undefined ? key(callId, agentId) : key(callId, actionId, 0);
      const calls = waiting.get(name) ?? [];
      let open = calls.pop();
      while (open !== undefined && !isOpen(open)) open = calls.pop();
      if (open === undefined) continue;
      const [action, call] = open;
      answers.get(action)?.splice(call, 1, index);
      actionOf.set(index, action);
    } else if (entry.type === "action") {
      // A strange entry may have no calls: it must not make a reader throw.
      const toolCalls = entry.toolCalls ?? [];
      answers.set(
        index,
        toolCalls.map(() => undefined),
      );
      running.set(agentId, index);
      for (const [call, { id }] of [...toolCalls.entries()].toReversed()) {
        wait(key(id, agentId), [index, call]);
        wait(key(id, entry.id, 0), [index, call]);
      }
    } else if (entry.type === "user_message") running.clear();
    else if (GOES_ON.has(entry.type)) running.delete(agentId);
  }
  return { answers, actionOf, running: new Set(running.values()) };

  function wait(name: string, open: [action: number, call: number]): void {
    const calls = waiting.get(name) ?? [];
    calls.push(open);
    waiting.set(name, calls);
  }
}

/** What says that an agent is done with its last action. */
const GOES_ON: ReadonlySet<string> = new Set(["assistant_message", "final", "synthesis", "task"]);

/** No two different lists give one key, whatever the ids are. */
function key(...names: readonly unknown[]): string {
  return JSON.stringify(names);
}
