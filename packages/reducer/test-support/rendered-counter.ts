import type { TokenCounter } from "@agent-history/core";

/** Counts the rendered form of an entry: its JSON without fields that are never rendered, four characters per token. */
export const renderedCounter: TokenCounter = {
  id: "quarter",
  countText: (text) => Math.ceil(text.length / 4),
  countEntry: (entry) => {
    const unseen = new Set(["id", "createdAtMs", "metadata", "origin"]);
    const rendered = Object.entries(entry).filter(([key]) => !unseen.has(key));
    return 3 + Math.ceil(JSON.stringify(rendered).length / 4);
  },
  countRequest: () => 3,
};
