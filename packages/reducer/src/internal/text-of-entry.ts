import { renderSources } from "@agent-history/core";
import type { Content, HistoryEntry } from "@agent-history/core";

/** What an entry says in words: its text, its calls, its sources. */
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
      // An entry of a type of the user's own may have none.
      return textOf(entry.content ?? "");
  }
}

/** The text of a content: all of it, or its text parts. */
export function textOf(content: Content): string {
  if (typeof content === "string") return content;
  return content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
}
