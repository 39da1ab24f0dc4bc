import { findLastTask, HistoryError, sameJson, userMessage } from "@agent-history/core";
import type { Content, HistoryEntry } from "@agent-history/core";

/** The rendered message of one call, and the message that it replaces. */
export interface RenderedMessage {
  readonly original?: Content | undefined;
  readonly rendered: Content;
  /** The agent whose task it may replace. */
  readonly agentId?: string | undefined;
}

/** Replaces the original by the rendered message; appends it if the view has neither message nor task. */
export function showRendered(
  entries: readonly HistoryEntry[],
  { original, rendered, agentId }: RenderedMessage,
): readonly HistoryEntry[] {
  const index = originOf(entries, original, agentId);
  const entry = entries[index];
  if (entry === undefined) {
    const content = original ?? rendered;
    const id = "history-manager/rendered";
    return [...entries, userMessage({ id, createdAtMs: 0, content, rendered })];
  }
  if (entry.type === "task") return entries.with(index, { ...entry, content: rendered });
  if (entry.type !== "user_message" || sameJson(entry.rendered ?? entry.content, rendered)) {
    return entries;
  }
  return entries.with(index, { ...entry, rendered });
}

function originOf(
  entries: readonly HistoryEntry[],
  original: Content | undefined,
  agentId: string | undefined,
): number {
  const newest = entries.findLastIndex(({ type }) => type === "user_message");
  if (newest < 0) return findLastTask(entries, agentId);
  if (original === undefined) return newest;
  const index = entries.findLastIndex(
    (entry) => entry.type === "user_message" && sameJson(entry.content, original),
  );
  if (index >= 0) return index;
  throw new HistoryError(
    "Expected `originalUserMessage` to be a user message of the view. Add the original first, or omit the option for the newest.",
    { code: "NOT_FOUND", details: { option: "originalUserMessage" } },
  );
}
