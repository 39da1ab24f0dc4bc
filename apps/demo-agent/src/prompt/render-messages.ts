import { messageRole } from "@agent-history/core";
import type { HistoryEntry, Viewer } from "@agent-history/core";
import type { ChatMessage } from "@agent-history/offline-model";

import { contentText } from "./content-text.ts";
import { entryText } from "./entry-text.ts";

/** Renders entries as messages: one for each, by core's table of roles. */
export function renderMessages(
  entries: readonly HistoryEntry[],
  viewer: Viewer,
): readonly ChatMessage[] {
  return entries.map((entry) => renderMessage(entry, viewer));
}

function renderMessage(entry: HistoryEntry, viewer: Viewer): ChatMessage {
  if (entry.type === "action") {
    return { role: "assistant", content: contentText(entry.content), toolCalls: entry.toolCalls };
  }
  if (entry.type === "observation") {
    const { callId, toolName } = entry;
    return { role: "tool", callId, toolName, content: entryText(entry) };
  }
  const role = messageRole(entry, viewer);
  const content = entryText(entry);
  return role === "system" || role === "assistant" ? { role, content } : { role: "user", content };
}
