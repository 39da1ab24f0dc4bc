import type { Agent, TaskEntry } from "@agent-history/core";

import type { Assignment } from "../planners/assignment.ts";
import type { Step } from "../planners/planner.ts";
import type { GivenStep } from "./given-step.ts";
import { stepOf } from "./given-step.ts";
import { handOn, handedOn } from "./hand-on.ts";
import { runAtOnce } from "./run-at-once.ts";
import { runWorker } from "./run-worker.ts";
import { assign, keptEntry, stoppable } from "./turn.ts";
import type { Turn } from "./turn.ts";
import { writeSynthesis } from "./write-synthesis.ts";

/** Runs the manager of one phase: it divides its task, its workers work side by side, and it sums up what they report. */
export async function runManager(task: TaskEntry, goal: string, turn: Turn): Promise<void> {
  const id = `${task.id}/synthesis`;
  if (keptEntry(turn, "synthesis", id) !== undefined) return;
  const scoped = turn.history.forTask(task);
  const assignment = assign(task.agent, goal, scoped, turn);
  const kept = handedOn(turn, task);
  const tasks = kept.length > 0 ? kept : await divide(task, assignment, turn);
  const jobs = tasks.map((each) => async () => runWorker({ task: each, ...stepOf(each) }, turn));
  await runAtOnce(jobs, turn.workersAtOnce);
  const content = await writeSynthesis(assignment);
  await scoped.addSynthesis({ id, content }, stoppable(turn));
}

async function divide(
  task: TaskEntry,
  assignment: Assignment,
  turn: Turn,
): Promise<readonly TaskEntry[]> {
  const steps = await turn.planners.manager.plan(assignment);
  return handOn(turn.history.forTask(task), task, nameWorkers(steps, turn), turn);
}

/** Numbers the workers of one kind; a kind that does not exist is the first one. */
function nameWorkers(steps: readonly Step[], { workers }: Turn): readonly GivenStep[] {
  const counts = new Map<string, number>();
  return steps.flatMap((step) => {
    const profile = workers.find(({ key }) => key === step.worker) ?? workers[0];
    if (profile === undefined) return [];
    const count = (counts.get(profile.key) ?? 0) + 1;
    counts.set(profile.key, count);
    const agent: Agent = { id: `${profile.key}-${count}`, role: "worker" };
    return [{ step: { ...step, worker: profile.key }, agent }];
  });
}
