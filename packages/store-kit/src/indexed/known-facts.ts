import type { PhaseId } from "@agent-history/core";

import { checkpointBefore, checkpointKey, positionOfCheckpoint } from "./checkpoints.ts";
import type { ThreadHead } from "./thread-head.ts";

/** What is known of a task. */
export interface TaskFact {
  readonly at: number;
  readonly turn: number;
  readonly plainTurn?: number | undefined;
  readonly phase?: PhaseId | undefined;
  /** The id of the agent who gave it. */
  readonly from?: string | undefined;
  /** The first entry that named it before it was given. */
  readonly missedAt?: number;
}

/** A task that an entry named and that is not there. */
export interface MissingTask {
  /** The first entry that named it. */
  readonly missedAt: number;
  readonly at?: undefined;
}

/** What is known of an agent, or of those who carry none. */
export interface AgentFact {
  /** Its last task. */
  readonly task?: TaskFact;
  /** Its newest actions that have calls without an answer, the oldest first. */
  readonly open: readonly OpenAction[];
  /** Actions with open calls were forgotten. */
  readonly isCut?: boolean;
  /** The entry that changed it last. */
  readonly since?: number;
}

/** An action and the ids of its calls that have no answer. */
export interface OpenAction {
  readonly at: number;
  readonly id: string;
  readonly calls: readonly string[];
}

/** The numbers of a turn, by its id. */
export interface TurnFact {
  /** The first entry that named it. */
  readonly at: number;
  readonly turn: number;
  readonly plainTurn?: number | undefined;
}

/** Keys of facts. */
export const factKey: {
  readonly agent: (id: string | undefined) => string;
  readonly task: (id: string) => string;
  readonly turn: (id: string) => string;
  readonly message: (id: string) => string;
} = {
  agent: (id) => (id === undefined ? "nobody" : `agent:${id}`),
  task: (id) => `task:${id}`,
  turn: (id) => `turn:${id}`,
  message: (id) => `message:${id}`,
};

/** Tells which user message a fact gives the position of: a store that keeps such positions anyway need not keep the fact. */
export function messageOfFact(key: string): string | undefined {
  return key.startsWith(MESSAGE) ? key.slice(MESSAGE.length) : undefined;
}

const MESSAGE = factKey.message("");

/** Facts as they were found, with those that a batch changes on top. What they give is never changed. */
export interface KnownFacts {
  readonly task: (id: string) => TaskFact | MissingTask | undefined;
  readonly turn: (id: string) => TurnFact | undefined;
  /** The position of a user message. */
  readonly message: (id: string) => number | undefined;
  readonly agent: (id: string | undefined) => AgentFact;
  readonly setTask: (id: string, fact: TaskFact | MissingTask) => void;
  readonly setTurn: (id: string, fact: TurnFact) => void;
  readonly setMessage: (id: string, position: number) => void;
  /** Changes what is known of an agent, with the entry at a position. */
  readonly setAgent: (id: string | undefined, fact: AgentFact, position: number) => void;
  /** Keeps the head before the entry at the position of a checkpoint. */
  readonly setCheckpoint: (nth: number, head: ThreadHead) => void;
  readonly changes: () => ReadonlyMap<string, string>;
}

/** Reads facts as they are asked for, each once. */
export function knownFacts(found: ReadonlyMap<string, string>): KnownFacts {
  const changed = new Map<string, unknown>();
  const tasks = factsOf<TaskFact | MissingTask>(found, changed);
  const turns = factsOf<TurnFact>(found, changed);
  const messages = factsOf<number>(found, changed);
  const agents = factsOf<AgentFact>(found, changed);
  return {
    task: (id) => tasks.get(factKey.task(id)),
    turn: (id) => turns.get(factKey.turn(id)),
    message: (id) => messages.get(factKey.message(id)),
    agent: (id) => agents.get(factKey.agent(id)) ?? { open: [] },
    setTask: (id, fact) => tasks.set(factKey.task(id), fact),
    setTurn: (id, fact) => turns.set(factKey.turn(id), fact),
    setMessage: (id, position) => messages.set(factKey.message(id), position),
    setAgent: (id, fact, position) => {
      const key = factKey.agent(id);
      const before = agents.get(key);
      const nth = checkpointBefore(position);
      const isFirst = (before?.since ?? -1) < positionOfCheckpoint(nth);
      if (nth > 0 && isFirst) changed.set(checkpointKey.fact(nth, key), before ?? null);
      agents.set(key, { ...fact, since: position });
    },
    setCheckpoint: (nth, head) => changed.set(checkpointKey.head(nth), head),
    changes: () => new Map([...changed].map(([key, fact]) => [key, JSON.stringify(fact)])),
  };
}

interface Facts<Fact> {
  readonly get: (key: string) => Fact | undefined;
  readonly set: (key: string, fact: Fact) => void;
}

function factsOf<Fact>(
  found: ReadonlyMap<string, string>,
  changed: Map<string, unknown>,
): Facts<Fact> {
  const read = new Map<string, Fact>();
  return {
    get: (key) => {
      const known = read.get(key);
      const text = known === undefined ? found.get(key) : undefined;
      if (text === undefined) return known;
      const fact: Fact = JSON.parse(text);
      read.set(key, fact);
      return fact;
    },
    set: (key, fact) => {
      read.set(key, fact);
      changed.set(key, fact);
    },
  };
}
