import { delegation, task } from "@agent-history/core";
import type { Agent, PhaseId, TaskEntry } from "@agent-history/core";

import type { Turn } from "./turn.ts";

/** Who gives what to whom. */
export interface GivenWork {
  readonly from: Agent;
  readonly to: Agent;
  readonly goal: string;
  readonly phaseId?: PhaseId;
  /** The task under which it is given. */
  readonly under?: TaskEntry;
}

/** Hands work on: a `delegation` for the one who gives it, and the `task` of the one who gets it. */
export async function giveTask(work: GivenWork, turn: Turn): Promise<TaskEntry> {
  const { from, to, goal, phaseId, under } = work;
  const fields = {
    content: goal,
    turnId: turn.turnId,
    ...(phaseId === undefined ? {} : { phaseId }),
    ...(under === undefined ? {} : { taskId: under.id }),
  };
  const given = task({ ...fields, agent: to, from }, turn.sources);
  await turn.thread.append(delegation({ ...fields, agent: from, to }, turn.sources), given);
  return given;
}
