import type { HistoryFilter, PhaseId, ToolCall } from "@agent-history/core";

import type { Assignment } from "./assignment.ts";

/** Plans the next work of an agent. What it is shown of the thread, its filter decides. */
export interface Planner<Plan> {
  readonly name: string;
  readonly historyFilter: HistoryFilter;
  plan(assignment: Assignment): Promise<Plan>;
}

/** What an orchestrator does with a question; discriminated by `kind`. */
export type OrchestratorPlan =
  | { readonly kind: "phases"; readonly goal: string; readonly phases: readonly Phase[] }
  | { readonly kind: "worker"; readonly worker: string; readonly goal: string }
  | { readonly kind: "answer"; readonly text: string };

/** One step of the orchestrator's plan, for one manager. */
export interface Phase {
  readonly id: PhaseId;
  readonly goal: string;
}

/** One piece of a manager's phase, for one worker. */
export interface Step {
  /** The key of a worker profile. */
  readonly worker: string;
  readonly goal: string;
  /** The very calls to make, where the manager decides them; otherwise the worker decides for itself. */
  readonly calls?: readonly ScriptedCall[];
}

/** A call that a manager wrote down. */
export interface ScriptedCall {
  readonly tool: string;
  /** JSON. */
  readonly arguments: string;
}

/** What a worker does next; discriminated by `kind`. */
export type WorkerMove =
  | { readonly kind: "act"; readonly text: string; readonly toolCalls: readonly ToolCall[] }
  | { readonly kind: "finish"; readonly report: string };

/** Plans a whole answer. */
export type OrchestratorPlanner = Planner<OrchestratorPlan>;
/** Plans a phase: its steps run side by side. */
export type ManagerPlanner = Planner<readonly Step[]>;
/** Plans one move after another. */
export type WorkerPlanner = Planner<WorkerMove>;
