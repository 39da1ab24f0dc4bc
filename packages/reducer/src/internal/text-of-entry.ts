import { renderSources } from "@agent-history/core";
import type { Content, HistoryEntry } from "@agent-history/core";

/** Returns the text of an entry: its content, tool calls and sources. */
export function textOfEntry(entry: HistoryEntry): string {
  switch (entry.type) {
    case "action": {
      const calls = entry.toolCalls.map((call) => `${call.name} ${call.arguments}`);
      return [textOf(entry.content ?? ""), ...calls].join("\n");
    }
    case "observation":
    case "global_observation":
      return [textOf(entry.content), renderSources(entry.sources ?? [])].join("\n");
    case "user_message":
      return textOf(entry.rendered ?? entry.content);
    default:
      // Entries of custom types may have no content.
      return textOf(entry.content ?? "");
  }
}

/** Returns the text of a content: the string, or its text parts. */
export function textOf(content: Content): string {
  if (typeof content === "string") return content;
  return content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
}
