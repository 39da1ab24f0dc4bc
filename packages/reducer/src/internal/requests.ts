import { messageRole } from "@agent-history/core";
import type { HistoryEntry, Viewer } from "@agent-history/core";

import { fixedAs, isTrace } from "./working-plan.ts";

/** Tells what asks in a history: the user, or where no user speaks a task. */
export function requestTest(
  entries: readonly HistoryEntry[],
  viewer: Viewer | undefined,
): (entry: HistoryEntry) => boolean {
  const isUsers = ({ type }: HistoryEntry): boolean => type === "user_message";
  return entries.findLastIndex(isUsers) >= 0 ? isUsers : (entry) => isTaskFor(entry, viewer);
}

/** Returns whether an entry is a task that reads as the viewer's, and not as an instruction that it gave. */
export function isTaskFor(entry: HistoryEntry, viewer: Viewer | undefined): boolean {
  const isOthers = viewer?.agentId !== undefined && viewer.agentId !== entry.agent?.id;
  return entry.type === "task" && !isOthers && messageRole(entry, viewer) === "user";
}

/** Tells at which places turns begin: with the first of some requests in a row. Agents side by side share a turn, of which only users tell where it begins. */
export function turnTest(
  entries: readonly HistoryEntry[],
  viewer: Viewer | undefined,
): (index: number) => boolean {
  const asks = requestTest(entries, viewer);
  const isRequest = (entry: HistoryEntry): boolean =>
    asks(entry) && (entry.type === "user_message" || viewer?.agentId !== undefined);
  return (index) => {
    const entry = entries[index];
    if (entry === undefined || !isRequest(entry)) return false;
    let at = index - 1;
    while (BESIDE_REQUESTS.has(entries[at]?.type)) at -= 1;
    const before = entries[at];
    return before === undefined || !isRequest(before);
  };
}

/** Returns whether something stands between two places that parts requests in a row. */
export function partsRow(
  entries: readonly HistoryEntry[],
  [from, to]: readonly [number, number],
): boolean {
  for (let index = to - 1; index >= from; index--) {
    if (!BESIDE_REQUESTS.has(entries[index]?.type)) return true;
  }
  return false;
}

/** Returns whether an entry may stand between requests in a row. */
export function standsBeside({ type }: HistoryEntry): boolean {
  return BESIDE_REQUESTS.has(type);
}

/** What may stand between requests in a row; a result that directly follows one answers nothing. */
const BESIDE_REQUESTS: ReadonlySet<string | undefined> = new Set([
  "attachment",
  "observation",
  "memory",
  "summary",
  "system_message",
]);

/** Returns whether an entry is what a viewer says at the end of its work. */
export function isAnswer(entry: HistoryEntry, viewer: Viewer | undefined): boolean {
  const { type } = entry;
  if (type === "assistant_message") return true;
  return (type === "final" || type === "synthesis") && messageRole(entry, viewer) === "assistant";
}

/** Returns whether an entry is a request, an answer or a note: not what stands for itself, and not what may go before them. */
export function isMessage(entry: HistoryEntry): boolean {
  const { type } = entry;
  const isDerived = type === "summary" || type === "memory";
  return !isTrace(entry) && !isDerived && type !== "attachment" && fixedAs(entry) === undefined;
}

/** What stays or goes together of a turn that is over: its requests and its last answer, unless one of them stands for itself. */
export function partsOf(
  turn: readonly HistoryEntry[],
  asks: (entry: HistoryEntry) => boolean,
  viewer: Viewer | undefined,
): readonly HistoryEntry[] {
  const requests = turn.filter(asks);
  const answer = turn.findLast((entry) => isAnswer(entry, viewer));
  if (requests.length === 0) return [];
  const parts = answer === undefined ? requests : [...requests, answer];
  return parts.some((entry) => fixedAs(entry) !== undefined) ? [] : parts;
}
