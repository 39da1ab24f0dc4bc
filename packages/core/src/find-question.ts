import type { HistoryEntry } from "./history-entry.ts";
import type { Viewer } from "./message-role.ts";
import { overReadable } from "./over-readable.ts";

/**
 * Finds the request that a prompt must answer: the newest user message; in a view without one the viewer's newest task, never
 * an instruction that it gave. Walks backward.
 *
 * @returns The entry, or `undefined` if there is neither.
 */
export function findQuestion(
  entries: readonly HistoryEntry[],
  viewer: Viewer = {},
): HistoryEntry | undefined {
  return overReadable(
    entries,
    (readable) =>
      readable.findLast(({ type }) => type === "user_message") ??
      readable.findLast((entry) => isOwnTask(entry, viewer)) ??
      (viewer.agentId === undefined ? readable.findLast(({ type }) => type === "task") : undefined),
  );
}

/** Returns whether an entry is a task of the viewer that it did not give itself. */
export function isOwnTask(entry: HistoryEntry, viewer: Viewer): boolean {
  if (entry.type !== "task" || viewer.agentId === undefined) return false;
  return entry.agent.id === viewer.agentId && !isGivenBy(entry, viewer);
}

function isGivenBy(entry: HistoryEntry, { agentId }: Viewer): boolean {
  return entry.type === "task" && entry.from !== undefined && entry.from.id === agentId;
}
