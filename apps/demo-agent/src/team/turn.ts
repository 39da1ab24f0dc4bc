import type { Agent, EntrySources, FilterContext, PhaseId, TaskEntry } from "@agent-history/core";

import type { Assignment } from "../planners/assignment.ts";
import type { ManagerPlanner, OrchestratorPlanner, WorkerPlanner } from "../planners/planner.ts";
import type { WorkerProfile } from "../planners/worker-profile.ts";
import { askModelFor } from "../prompt/ask-model.ts";
import type { ModelDesk } from "../prompt/ask-model.ts";
import type { Toolbox } from "../tools/folder-tools.ts";
import type { SourceNumbers } from "../tools/source-numbers.ts";

/** Who plans, by role. */
export interface Planners {
  readonly orchestrator: OrchestratorPlanner;
  readonly manager: ManagerPlanner;
  readonly worker: WorkerPlanner;
}

/** What the agents of one turn share. */
export interface Turn extends ModelDesk {
  readonly question: string;
  readonly planners: Planners;
  readonly workers: readonly WorkerProfile[];
  readonly tools: Toolbox;
  readonly numbers: SourceNumbers;
  /** How many moves a worker has. */
  readonly maxWorkerSteps: number;
  readonly sources: EntrySources;
}

/** The fields of every entry that an agent writes under a task. */
export interface TaskFields {
  readonly turnId: string;
  readonly taskId: string;
  readonly agent: Agent;
  readonly phaseId?: PhaseId;
}

/** Gives the fields of what is written under a task. */
export function fieldsUnder({ id, agent, phaseId }: TaskEntry, { turnId }: Turn): TaskFields {
  return { turnId, taskId: id, agent, ...(phaseId === undefined ? {} : { phaseId }) };
}

/** Makes an assignment of an agent and its place in the thread. */
export function assign(
  agent: Agent,
  goal: string,
  place: Omit<FilterContext, "role" | "agentId" | "turnId">,
  turn: Turn,
): Assignment {
  const context: FilterContext = {
    role: agent.role,
    agentId: agent.id,
    turnId: turn.turnId,
    ...place,
  };
  return {
    agent,
    context,
    goal,
    workers: turn.workers,
    tools: turn.tools.definitions,
    askModel: askModelFor(agent, context, turn),
  };
}
