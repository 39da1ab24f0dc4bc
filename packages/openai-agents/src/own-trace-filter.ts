import {
  ASSISTANT_MESSAGE,
  ATTACHMENT,
  MEMORY,
  SYSTEM_MESSAGE,
  USER_MESSAGE,
} from "@agent-history/core";
import type { HistoryFilter } from "@agent-history/core";

/**
 * Creates a filter that shows an agent the conversation, but only its own calls, results and reasoning: after a handoff, the next agent is not sent the tool
 * results of the previous one. A handoff belongs to the agent that hands over.
 *
 * @example
 * ```ts
 * import { ownTraceFilter } from "@agent-history/openai-agents";
 *
 * ownTraceFilter().query({ agentId: "Travel" }).clauses[1];
 * // => { agent: "Travel" }
 * ```
 */
export function ownTraceFilter(): HistoryFilter {
  const types = [SYSTEM_MESSAGE, USER_MESSAGE, ASSISTANT_MESSAGE, ATTACHMENT, MEMORY];
  return {
    name: "own-trace",
    query: ({ agentId = "" }) => ({ clauses: [{ types }, { agent: agentId }] }),
  };
}
