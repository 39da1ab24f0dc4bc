import type { HistoryEntry } from "./history-entry.ts";
import { agentView } from "./history-view.ts";
import type { HistoryView } from "./history-view.ts";
import { readOr } from "./internal/read-or.ts";

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
