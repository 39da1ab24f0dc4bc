import { userMessage } from "@agent-history/core";
import type { HistoryEntry } from "@agent-history/core";

/** Makes user messages with these ids. */
export function messages(...ids: readonly string[]): readonly HistoryEntry[] {
  const fields = { createdAtMs: 0, turnId: "turn" };
  return ids.map((id) => userMessage({ id, content: `message ${id}`, ...fields }));
}
