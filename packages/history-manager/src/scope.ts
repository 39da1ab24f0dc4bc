import type { Agent, PhaseId } from "@agent-history/core";

/** Where in the work something is written or asked: what the manager fills in where a call leaves it out. */
export interface Scope {
  /** The turn. Without one, a user message begins a turn. */
  readonly turnId?: string | undefined;
  /** The phase of the orchestrator's plan. */
  readonly phaseId?: PhaseId | undefined;
  /** The id of the `task` entry that is being done. */
  readonly taskId?: string | undefined;
  /** Who works here. */
  readonly agent?: Agent | undefined;
}
