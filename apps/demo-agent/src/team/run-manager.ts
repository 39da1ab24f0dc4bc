import { synthesis } from "@agent-history/core";
import type { Agent, TaskEntry } from "@agent-history/core";

import type { Step } from "../planners/planner.ts";
import { giveTask } from "./give-task.ts";
import { runWorker } from "./run-worker.ts";
import { assign, fieldsUnder } from "./turn.ts";
import type { Turn } from "./turn.ts";
import { writeSynthesis } from "./write-synthesis.ts";

/** Runs the manager of one phase: it divides its task, its workers work side by side, and it sums up what they report. */
export async function runManager(task: TaskEntry, goal: string, turn: Turn): Promise<void> {
  const { phaseId } = task;
  const place = { taskId: task.id, ...(phaseId === undefined ? {} : { phaseId }) };
  const assignment = assign(task.agent, goal, place, turn);
  const steps = await turn.planners.manager.plan(assignment);
  const work = nameWorkers(steps, turn).map(({ step, agent }) => handOn(task, agent, step, turn));
  await settleAll(work);
  const content = await writeSynthesis(assignment);
  await turn.thread.append(synthesis({ ...fieldsUnder(task, turn), content }, turn.sources));
}

async function handOn(under: TaskEntry, to: Agent, step: Step, turn: Turn): Promise<void> {
  const { agent: from, phaseId } = under;
  const phase = phaseId === undefined ? {} : { phaseId };
  const task = await giveTask({ from, to, goal: step.goal, under, ...phase }, turn);
  await runWorker({ task, ...step }, turn);
}

/** Numbers the workers of one kind; a kind that does not exist is the first one. */
function nameWorkers(
  steps: readonly Step[],
  { workers }: Turn,
): readonly { readonly step: Step; readonly agent: Agent }[] {
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

/** Waits for all, also where one fails, so that nothing writes on after a turn has failed. */
async function settleAll(work: readonly Promise<void>[]): Promise<void> {
  const results = await Promise.allSettled(work);
  for (const result of results) if (result.status === "rejected") throw result.reason;
}
