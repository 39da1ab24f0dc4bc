import { messageRole } from "@agent-history/core";
import type { HistoryEntry, Viewer } from "@agent-history/core";

/** Tells what asks in a history: the user, or where no user speaks a task. */
export function requestTest(
  entries: readonly HistoryEntry[],
  viewer: Viewer | undefined,
): (entry: HistoryEntry) => boolean {
  const isUsers = ({ type }: HistoryEntry): boolean => type === "user_message";
  return entries.some(isUsers) ? isUsers : (entry) => isTaskFor(entry, viewer);
}

/** Tells whether an entry is a task that reads as the viewer's, and not as an instruction that it gave. */
export function isTaskFor(entry: HistoryEntry, viewer: Viewer | undefined): boolean {
  const isOthers = viewer?.agentId !== undefined && viewer.agentId !== entry.agent?.id;
  return entry.type === "task" && !isOthers && messageRole(entry, viewer) === "user";
}

/** Tells at which places turns begin: with the first of some requests in a row. Agents side by side share a turn, of which only users tell where it begins. */
export function turnTest(
  entries: readonly HistoryEntry[],
  viewer: Viewer | undefined,
): (place: number) => boolean {
  const asks = requestTest(entries, viewer);
  const isRequest = (entry: HistoryEntry): boolean =>
    asks(entry) && (entry.type === "user_message" || viewer?.agentId !== undefined);
  return (place) => {
    const [before, entry] = [entries[place - 1], entries[place]];
    if (entry === undefined || !isRequest(entry)) return false;
    return before === undefined || !(isRequest(before) || before.type === "attachment");
  };
}

/** Tells whether an entry is what a viewer says at the end of its work. */
export function isAnswer(entry: HistoryEntry, viewer: Viewer | undefined): boolean {
  const { type } = entry;
  if (type === "assistant_message") return true;
  return (type === "final" || type === "synthesis") && messageRole(entry, viewer) === "assistant";
}
