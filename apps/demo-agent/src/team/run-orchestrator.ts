import { strategicPlan } from "@agent-history/core";
import type { Agent } from "@agent-history/core";

import type { OrchestratorPlan } from "../planners/planner.ts";
import { giveTask } from "./give-task.ts";
import { runManager } from "./run-manager.ts";
import { runWorker } from "./run-worker.ts";
import { assign } from "./turn.ts";
import type { Turn } from "./turn.ts";
import { writeAnswer } from "./write-answer.ts";

const ORCHESTRATOR: Agent = { id: "orchestrator", role: "orchestrator" };

/** Runs the orchestrator for one question: it plans, hands the work on, and gives the text of the answer. */
export async function runOrchestrator(turn: Turn): Promise<string> {
  const assignment = assign(ORCHESTRATOR, turn.question, {}, turn);
  const plan = await turn.planners.orchestrator.plan(assignment);
  switch (plan.kind) {
    case "answer":
      return plan.text;
    case "worker":
      return runOneWorker(plan, turn);
    case "phases":
      await runPhases(plan, turn);
      return writeAnswer(assignment);
  }
}

/** One phase after the other: each manager builds on what the ones before found. */
async function runPhases(
  { goal, phases }: Extract<OrchestratorPlan, { readonly kind: "phases" }>,
  turn: Turn,
): Promise<void> {
  const { turnId, thread, sources } = turn;
  const content = [goal, ...phases.map((phase) => `${phase.id}: ${phase.goal}`)].join("\n");
  await thread.append(strategicPlan({ content, agent: ORCHESTRATOR, turnId }, sources));
  for (const [index, { id: phaseId, goal: phaseGoal }] of phases.entries()) {
    const to: Agent = { id: `manager-${index + 1}`, role: "manager" };
    const task = await giveTask({ from: ORCHESTRATOR, to, goal: phaseGoal, phaseId }, turn);
    await runManager(task, phaseGoal, turn);
  }
}

async function runOneWorker(
  { worker, goal }: Extract<OrchestratorPlan, { readonly kind: "worker" }>,
  turn: Turn,
): Promise<string> {
  const to: Agent = { id: `${worker}-1`, role: "worker" };
  const task = await giveTask({ from: ORCHESTRATOR, to, goal }, turn);
  return runWorker({ task, worker, goal }, turn);
}
