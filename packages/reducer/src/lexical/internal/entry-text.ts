import { renderSources } from "@agent-history/core";
import type { Content, HistoryEntry } from "@agent-history/core";

/** Returns what an entry says: its words, the names and arguments of its calls, its sources, the names of its files. */
export function entryText(entry: HistoryEntry): string {
  switch (entry.type) {
    case "user_message":
      return contentText(entry.rendered ?? entry.content);
    case "action": {
      const calls = entry.toolCalls.flatMap((call) => [call.name, call.arguments]);
      return lines([contentText(entry.content), ...calls]);
    }
    case "observation":
    case "global_observation":
      return lines([contentText(entry.content), renderSources(entry.sources ?? [])]);
    case "attachment":
      return lines([entry.name ?? "", contentText(entry.content)]);
    default:
      return contentText(entry.content);
  }
}

function contentText(content: Content | undefined): string {
  if (content === undefined) return "";
  if (typeof content === "string") return content;
  return lines(
    content.map((part) => {
      if (part.type === "text") return part.text;
      return part.type === "file" ? (part.name ?? "") : "";
    }),
  );
}

function lines(texts: readonly string[]): string {
  return texts.filter((text) => text !== "").join("\n");
}
