import { contentText, renderSources } from "@agent-history/core";
import type { HistoryEntry } from "@agent-history/core";

/** Returns the text of an entry: its content, tool calls and sources. */
export function textOfEntry(entry: HistoryEntry): string {
  switch (entry.type) {
    case "action": {
      const calls = entry.toolCalls.map((call) => `${call.name} ${call.arguments}`);
      return [contentText(entry.content), ...calls].join("\n");
    }
    case "observation":
    case "global_observation":
      return [contentText(entry.content), renderSources(entry.sources ?? [])].join("\n");
    case "user_message":
      return contentText(entry.rendered ?? entry.content);
    default:
      return contentText(entry.content);
  }
}
