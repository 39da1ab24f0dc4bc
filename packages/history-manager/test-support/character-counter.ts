import type { HistoryEntry, TokenCounter } from "@agent-history/core";

/** One token for each character of content, rendered where it is, sources and calls included. */
export const counter: TokenCounter = {
  id: "characters",
  countText: (text) => text.length,
  countEntry: (entry) => {
    const text = contentOf(entry);
    const calls = entry.type === "action" ? JSON.stringify(entry.toolCalls) : "";
    const sources = "sources" in entry ? (entry.sources ?? []) : [];
    const found = sources.reduce((sum, source) => sum + source.text.length + 10, 0);
    return text.length + calls.length + found;
  },
  countRequest: (tools = []) => (tools.length === 0 ? 0 : JSON.stringify(tools).length),
};

/** What a model reads of an entry, its sources apart. */
export function contentOf(entry: HistoryEntry): string {
  const { content = "" } = entry;
  const shown = entry.type === "user_message" ? (entry.rendered ?? content) : content;
  return typeof shown === "string" ? shown : JSON.stringify(shown);
}
