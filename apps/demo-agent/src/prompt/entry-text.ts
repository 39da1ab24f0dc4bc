import { renderSources } from "@agent-history/core";
import type { HistoryEntry } from "@agent-history/core";
import { messageHeading } from "@agent-history/offline-model";

import { contentText } from "./content-text.ts";

/** Returns what a model reads of an entry, its tool calls apart: heading, content, sources. */
export function entryText(entry: HistoryEntry): string {
  const text = contentText(
    entry.type === "user_message" ? (entry.rendered ?? entry.content) : entry.content,
  );
  const sources = "sources" in entry ? renderSources(entry.sources ?? []) : "";
  return [messageHeading(entry), text, sources && `\n${sources}`]
    .filter((part) => part !== undefined && part !== "")
    .join("\n");
}
