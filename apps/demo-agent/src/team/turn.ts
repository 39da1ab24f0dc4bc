import type { Agent, EntryOf, EntrySources, EntryType, HistoryEntry } from "@agent-history/core";
import type { HistoryManager } from "@agent-history/history-manager";
import type { Toolbox } from "@agent-history/offline-model";

import type { ThreadHistory } from "../open-history.ts";
import type { Assignment } from "../planners/assignment.ts";
import type { ManagerPlanner, OrchestratorPlanner, WorkerPlanner } from "../planners/planner.ts";
import type { WorkerProfile } from "../planners/worker-profile.ts";
import { askModelFor } from "../prompt/ask-model.ts";
import type { ModelDesk } from "../prompt/ask-model.ts";
import type { WorkerFailure } from "./worker-failure.ts";

/** Who plans, by role. */
export interface Planners {
  readonly orchestrator: OrchestratorPlanner;
  readonly manager: ManagerPlanner;
  readonly worker: WorkerPlanner;
}

/** What all turns of a team share. */
export interface TeamDesk extends ModelDesk {
  readonly thread: ThreadHistory;
  readonly planners: Planners;
  readonly workers: readonly WorkerProfile[];
  /** Where ids and times come from. */
  readonly sources: EntrySources;
  /** How many moves a worker has. */
  readonly maxWorkerSteps: number;
  /** How many workers of a phase work at a time. */
  readonly workersAtOnce: number;
}

/** What the agents of one turn share. */
export interface Turn extends TeamDesk {
  readonly turnId: string;
  readonly question: string;
  /** The manager of the thread, at this turn. */
  readonly history: HistoryManager;
  readonly tools: Toolbox;
  /** Called with a worker that could not continue. */
  readonly onFailure: (failure: WorkerFailure) => void;
  /** What an earlier process has kept of this turn, by id. An id says what place in the plan an entry has. */
  readonly kept: ReadonlyMap<string, HistoryEntry>;
}

/** Returns what an earlier process has kept at a place of the plan. */
export function keptEntry<Type extends EntryType>(
  { kept }: Turn,
  type: Type,
  id: string,
): EntryOf<Type> | undefined {
  const entry = kept.get(id);
  return entry !== undefined && isOfType(entry, type) ? entry : undefined;
}

/** Makes an assignment of an agent, at its place in the thread. */
export function assign(agent: Agent, goal: string, scoped: HistoryManager, turn: Turn): Assignment {
  return {
    agent,
    goal,
    workers: turn.workers,
    tools: turn.tools.definitions,
    askModel: askModelFor(agent, scoped, turn),
  };
}

/** What every verb takes where the turn can be stopped. */
export function stoppable({ signal }: Pick<ModelDesk, "signal">): {
  readonly signal?: AbortSignal;
} {
  return signal === undefined ? {} : { signal };
}

function isOfType<Type extends EntryType>(entry: HistoryEntry, type: Type): entry is EntryOf<Type> {
  return entry.type === type;
}
