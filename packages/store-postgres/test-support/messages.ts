import { userMessage } from "@agent-history/core";
import type { HistoryEntry } from "@agent-history/core";

/** Makes user messages of these ids. */
export function messages(...ids: readonly string[]): readonly HistoryEntry[] {
  return ids.map((id) => userMessage({ id, content: `message ${id}`, createdAtMs: 0 }));
}
