import type { Agent } from "@agent-history/core";
import type { HistoryManager } from "@agent-history/history-manager";

import type { OrchestratorPlan } from "../planners/planner.ts";
import { compressWork } from "./compress-work.ts";
import { stepOf } from "./given-step.ts";
import { planMetadata, readPlan } from "./kept-plan.ts";
import type { PhasesPlan } from "./kept-plan.ts";
import { runManager } from "./run-manager.ts";
import { runWorker } from "./run-worker.ts";
import { assign, keptEntry, stoppable } from "./turn.ts";
import type { Turn } from "./turn.ts";
import { writeAnswer } from "./write-answer.ts";

const ORCHESTRATOR: Agent = { id: "orchestrator", role: "orchestrator" };

/** Runs the orchestrator for one question: it plans, hands the work on, and gives the text of the answer. */
export async function runOrchestrator(turn: Turn): Promise<string> {
  const scoped = turn.history.withScope({ agent: ORCHESTRATOR });
  const assignment = assign(ORCHESTRATOR, turn.question, scoped, turn);
  const plan = keptPlan(turn) ?? (await turn.planners.orchestrator.plan(assignment));
  switch (plan.kind) {
    case "answer":
      return plan.text;
    case "worker":
      return runOneWorker(plan, scoped, turn);
    case "phases":
      await runPhases(plan, scoped, turn);
      return writeAnswer(assignment);
  }
}

/** The plan of an earlier process, where it came to writing it down. */
function keptPlan(turn: Turn): OrchestratorPlan | undefined {
  const plan = keptEntry(turn, "strategic_plan", planId(turn));
  if (plan !== undefined) return readPlan(plan);
  const task = keptEntry(turn, "task", taskId(turn, 1));
  return task && { kind: "worker", ...stepOf(task) };
}

/** One phase after the other: each manager builds on what the ones before found. */
async function runPhases(plan: PhasesPlan, scoped: HistoryManager, turn: Turn): Promise<void> {
  const { goal, phases } = plan;
  const content = [goal, ...phases.map((phase) => `${phase.id}: ${phase.goal}`)].join("\n");
  const id = planId(turn);
  if (!turn.kept.has(id)) {
    await scoped.addPlan({ id, content, metadata: planMetadata(plan) }, stoppable(turn));
  }
  for (const [index, phase] of phases.entries()) {
    const agent: Agent = { id: `manager-${index + 1}`, role: "manager" };
    const given = { id: taskId(turn, index + 1), content: phase.goal, agent };
    const isGiven = turn.kept.has(given.id);
    if (index > 0 && !isGiven) await compressWork(taskId(turn, index), turn);
    const inPhase = scoped.beginPhase(phase.id);
    const task =
      keptEntry(turn, "task", given.id) ?? (await inPhase.delegate(given, stoppable(turn)));
    await runManager(task, phase.goal, turn);
  }
}

async function runOneWorker(
  { worker, goal }: Extract<OrchestratorPlan, { readonly kind: "worker" }>,
  scoped: HistoryManager,
  turn: Turn,
): Promise<string> {
  const agent: Agent = { id: `${worker}-1`, role: "worker" };
  const id = taskId(turn, 1);
  const task =
    keptEntry(turn, "task", id) ??
    (await scoped.delegate({ id, content: goal, agent, metadata: { worker } }, stoppable(turn)));
  return runWorker({ task, worker, goal }, turn);
}

function planId({ turnId }: Turn): string {
  return `${turnId}/plan`;
}

function taskId({ turnId }: Turn, count: number): string {
  return `${turnId}/${count}`;
}
