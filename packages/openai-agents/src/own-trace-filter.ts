import {
  ASSISTANT_MESSAGE,
  ATTACHMENT,
  MEMORY,
  SYSTEM_MESSAGE,
  USER_MESSAGE,
} from "@agent-history/core";
import type { HistoryFilter } from "@agent-history/core";

/**
 * Makes a filter that shows an agent the conversation, and of calls, results and reasoning its own only: after a handoff the next agent is not sent what the
 * tools of the one before returned. The handoff itself is of the agent that hands over.
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
