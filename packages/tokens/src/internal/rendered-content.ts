import { type Content, type HistoryEntry, renderSources, type Source } from "@agent-history/core";

/**
 * Returns what an entry says in a prompt: the rendered form of a user's message, and sources below the content they
 * came with. Content that is missing, as in many a recording, is empty.
 */
export function renderedContent(entry: HistoryEntry): Content {
  if (entry.type === "user_message") return entry.rendered ?? entry.content ?? "";
  if (entry.type === "observation" || entry.type === "global_observation") {
    return withSources(entry.content ?? "", entry.sources ?? []);
  }
  return entry.content ?? "";
}

function withSources(content: Content, sources: readonly Source[]): Content {
  const rendered = renderSources(sources);
  if (rendered === "") return content;
  if (content.length === 0) return rendered;
  if (typeof content === "string") return `${content}\n\n${rendered}`;
  return [...content, { type: "text", text: `\n\n${rendered}` }];
}
