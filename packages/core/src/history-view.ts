/** The scope of a compaction: the whole thread, the conversation, or one agent's trace. */
export type HistoryView = "thread" | "conversation" | `agent:${string}`;

/** Names the view of one agent. */
export function agentView(agentId: string): HistoryView {
  return `agent:${agentId}`;
}
