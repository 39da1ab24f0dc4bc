import type { Agent, ToolDefinition } from "@agent-history/core";

import type { AskModel } from "../prompt/ask-model.ts";
import type { WorkerProfile } from "./worker-profile.ts";

/** An agent and what it is to do: what a planner plans for. */
export interface Assignment {
  readonly agent: Agent;
  /** The words of the user, or of the task. */
  readonly goal: string;
  /** Who can be given work. */
  readonly workers: readonly WorkerProfile[];
  /** What the agent itself can call. Empty where it has to come to an end. */
  readonly tools: readonly ToolDefinition[];
  readonly askModel: AskModel;
}
