import type { Agent, Viewer } from "@agent-history/core";

/** Returns whose prompt an agent's is. */
export function viewerOf(agent: Agent | undefined): Viewer {
  return agent === undefined ? {} : { agentId: agent.id };
}
