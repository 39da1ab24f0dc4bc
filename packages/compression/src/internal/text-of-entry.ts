import { renderSources } from "@agent-history/core";
import type { Content, HistoryEntry } from "@agent-history/core";

/** What an entry says in words: its text, its calls, its sources. What no one can read is left out. */
export function textOfEntry(entry: HistoryEntry): string {
  switch (entry.type) {
    case "action": {
      const calls = (entry.toolCalls ?? []).map((call) => `call ${call.name} ${call.arguments}`);
      return [textOf(entry.content ?? ""), ...calls].filter((text) => text !== "").join("\n");
    }
    case "observation":
    case "global_observation": {
      const sources = renderSources(entry.sources ?? []);
      return [textOf(entry.content), sources].filter((text) => text !== "").join("\n");
    }
    case "opaque":
      return "";
    default:
      return textOf(entry.content);
  }
}

/** The text of a content; media are named. */
export function textOf(content: Content | undefined): string {
  if (typeof content === "string") return content;
  // A strange entry may have no content: it must not make a reader throw.
  const parts = (content ?? []).map((part) => {
    switch (part.type) {
      case "text":
        return part.text;
      case "image":
        return "[image]";
      case "file":
        return part.source.kind === "text"
          ? part.source.text
          : `[file${part.name === undefined ? "" : ` ${part.name}`}]`;
      default:
        return "";
    }
  });
  return parts.filter((text) => text !== "").join("\n");
}
