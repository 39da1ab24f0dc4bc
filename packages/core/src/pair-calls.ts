import type { HistoryEntry } from "./history-entry.ts";
import type { ActionEntry, ObservationEntry } from "./trace-entries.ts";

/** Which observation answers which call, by index in the entries. */
export interface Pairing {
  /** For each action: for each of its calls, the index of the observation that answers it. */
  readonly answers: ReadonlyMap<number, readonly (number | undefined)[]>;
  /** For each observation that answers a call, the index of its action. */
  readonly actionOf: ReadonlyMap<number, number>;
  /** The actions whose agent has not gone on: it may still be waiting for results, or has not yet read them. */
  readonly running: ReadonlySet<number>;
}

interface OpenCall {
  readonly actionIndex: number;
  readonly callIndex: number;
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
  const open = openCalls();

  for (const [index, entry] of entries.entries()) {
    if (entry.type === "observation") {
      const call = open.answer(entry);
      const slots = call === undefined ? undefined : answers.get(call.actionIndex);
      if (call === undefined || slots === undefined) continue;
      slots[call.callIndex] = index;
      actionOf.set(index, call.actionIndex);
      continue;
    }
    if (entry.type === "user_message") running.clear();
    if (goesOn(entry)) running.delete(entry.agent?.id);
    if (entry.type !== "action") continue;
    answers.set(
      index,
      entry.toolCalls.map(() => undefined),
    );
    open.add(entry, index);
    running.set(entry.agent?.id, index);
  }
  return { answers, actionOf, running: new Set(running.values()) };
}

/** Says that the agent is done with its last action. */
function goesOn(entry: HistoryEntry): boolean {
  switch (entry.type) {
    case "assistant_message":
    case "final":
    case "synthesis":
    case "task":
      return true;
    default:
      return false;
  }
}

/** The calls that wait for a result. */
function openCalls(): {
  readonly add: (entry: ActionEntry, actionIndex: number) => void;
  readonly answer: (entry: ObservationEntry) => OpenCall | undefined;
} {
  const byAgent = new Map<string | undefined, Map<string, OpenCall[]>>();
  const byAction = new Map<string, Map<string, OpenCall[]>>();
  const answered = new Set<OpenCall>();

  return {
    add: (entry, actionIndex) => {
      const ofAgent = getOrCreate(byAgent, entry.agent?.id, () => new Map<string, OpenCall[]>());
      const ofAction = new Map<string, OpenCall[]>();
      byAction.set(entry.id, ofAction);
      // Stacks: the newest action comes first, and within an action its first call.
      for (const [callIndex, { id }] of [...entry.toolCalls.entries()].toReversed()) {
        const call = { actionIndex, callIndex };
        getOrCreate(ofAgent, id, (): OpenCall[] => []).push(call);
        getOrCreate(ofAction, id, (): OpenCall[] => []).push(call);
      }
    },
    answer: (entry) => {
      const calls =
        entry.actionId === undefined
          ? byAgent.get(entry.agent?.id)?.get(entry.callId)
          : byAction.get(entry.actionId)?.get(entry.callId);
      let call = calls?.pop();
      while (call !== undefined && answered.has(call)) call = calls?.pop();
      if (call !== undefined) answered.add(call);
      return call;
    },
  };
}

function getOrCreate<Key, Value>(map: Map<Key, Value>, key: Key, create: () => Value): Value {
  const known = map.get(key);
  if (known !== undefined) return known;
  const created = create();
  map.set(key, created);
  return created;
}
