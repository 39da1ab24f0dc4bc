import type { HistoryEntry } from "./history-entry.ts";
import { readOr } from "./internal/read-or.ts";

/** What a compaction stands in: the whole thread, the conversation, or one agent's trace. */
export type HistoryView = "thread" | "conversation" | `agent:${string}`;

/** Names the view of one agent. */
export function agentView(agentId: string): HistoryView {
  return `agent:${agentId}`;
}

/** Returns whether `entry` belongs to `view`: the conversation has its messages and attachments, an agent what it wrote. */
export function isInView(entry: HistoryEntry, view: HistoryView): boolean {
  if (view === "thread") return true;
  return readOr(false, () => isOf(entry, view));
}

function isOf(entry: HistoryEntry, view: HistoryView): boolean {
  if (view === "conversation") {
    return (
      entry.type === "user_message" ||
      entry.type === "assistant_message" ||
      entry.type === "attachment"
    );
  }
  return entry.agent !== undefined && view === agentView(entry.agent.id);
}
