import type { Agent, PhaseId } from "@agent-history/core";

/** A position in the work: fields that the manager fills in if a call omits them. */
export interface Scope {
  /** The turn. Without one, a user message begins a turn. */
  readonly turnId?: string | undefined;
  /** The phase of the orchestrator's plan. */
  readonly phaseId?: PhaseId | undefined;
  /** The id of the current `task` entry. */
  readonly taskId?: string | undefined;
  /** The agent at work. */
  readonly agent?: Agent | undefined;
}
