import { renderSources } from "@agent-history/core";
import type { Content, HistoryEntry, Source } from "@agent-history/core";

/**
 * Returns what a model is shown of an entry: a user's message as it is rendered, an attachment under its name, sources a blank
 * line below the result they came with. A counter counts the same.
 */
export function shownContent(entry: HistoryEntry): Content | undefined {
  switch (entry.type) {
    case "user_message":
      return entry.rendered ?? entry.content;
    case "attachment":
      return entry.name === undefined ? entry.content : named(entry.name, entry.content);
    case "observation":
    case "global_observation":
      return withSources(entry.content, entry.sources ?? []);
    default:
      return entry.content;
  }
}

/** Two parts: together in one text they might count otherwise than each alone. */
function named(name: string, content: Content): Content {
  const parts = typeof content === "string" ? [{ type: "text", text: content } as const] : content;
  return [{ type: "text", text: name }, ...parts];
}

function withSources(content: Content, sources: readonly Source[]): Content {
  const rendered = renderSources(sources);
  if (rendered === "") return content;
  if (content.length === 0) return rendered;
  if (typeof content === "string") return `${content}\n\n${rendered}`;
  return [...content, { type: "text", text: `\n\n${rendered}` }];
}
