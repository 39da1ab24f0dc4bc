import type { HistoryEntry } from "./history-entry.ts";
import { readOr } from "./over-readable.ts";

/** The scope of a compaction: the whole thread, the conversation, or one agent's trace. */
export type HistoryView = "thread" | "conversation" | `agent:${string}`;

/** Names the view of one agent. */
export function agentView(agentId: string): HistoryView {
  return `agent:${agentId}`;
}

/** Returns whether `entry` belongs to `view`: the conversation has its messages and attachments, an agent what it wrote. */
export function isInView(entry: HistoryEntry, view: HistoryView): boolean {
  if (view === "thread") return true;
  return readOr(false, () =>
    view === "conversation"
      ? SPOKEN.has(entry.type)
      : entry.agent !== undefined && view === agentView(entry.agent.id),
  );
}

const SPOKEN: ReadonlySet<string> = new Set(["user_message", "assistant_message", "attachment"]);
