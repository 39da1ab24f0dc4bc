import type { ActionEntry, HistoryEntry, ToolCall } from "@agent-history/core";

import { haveDistinctIds } from "./distinct-ids.ts";

/** What says that an agent is done with its last action. As core pairs calls. */
const GOES_ON: ReadonlySet<string> = new Set(["assistant_message", "final", "synthesis", "task"]);

/** Bits of a number. */
const MOST_CALLS = 30;

/**
 * Finds the exchange that runs in what needs no repair, where that is plain: each action's results stand behind it, and one agent acts at a time.
 *
 * @returns The index of its action, -1 where none runs; `undefined` where it is not as plain as that, and calls must be paired.
 */
export function plainlyRunning(entries: readonly HistoryEntry[]): number | undefined {
  if (entries.length === 0) return -1;
  try {
    return haveDistinctIds(entries, 0) ? lastRunning(entries) : undefined;
  } catch {
    // What cannot be read is left out of a pairing.
    return undefined;
  }
}

function lastRunning(entries: readonly HistoryEntry[]): number | undefined {
  let running = -1;
  let agentId: string | undefined;
  for (let index = 0; index < entries.length;) {
    const entry = entries[index];
    const { type, agent } = entry ?? {};
    if (entry?.type === "action") {
      if (running >= 0 && agent?.id !== agentId) return undefined;
      const end = endOfRound(entry, index, entries);
      if (end === undefined) return undefined;
      running = index;
      agentId = agent?.id;
      index = end;
      continue;
    }
    if (type === undefined || type === "observation") return undefined;
    const isOver = type === "user_message" || (GOES_ON.has(type) && agent?.id === agentId);
    if (isOver) running = -1;
    index += 1;
  }
  return running;
}

/** The index behind an action and its results, where each answers another call; open calls only at the end. */
export function endOfRound(
  { id, agent, toolCalls }: ActionEntry,
  index: number,
  entries: readonly HistoryEntry[],
): number | undefined {
  if (!Array.isArray(toolCalls) || toolCalls.length > MOST_CALLS) return undefined;
  const isNamed = agent?.id === undefined || typeof agent.id === "string";
  if (!isNamed || !toolCalls.every(isPlainCall)) return undefined;
  let end = index + 1;
  let answered = 0;
  for (let next = entries[end]; next?.type === "observation"; next = entries[(end += 1)]) {
    const { callId, actionId } = next;
    const call = placeOf(callId, toolCalls);
    const isOther = next.agent?.id !== agent?.id || (actionId !== undefined && actionId !== id);
    if (isOther || call < 0 || (answered & (1 << call)) !== 0) return undefined;
    answered |= 1 << call;
  }
  const isAnswered = answered === 2 ** toolCalls.length - 1;
  return isAnswered || end === entries.length ? end : undefined;
}

/** Returns whether a call is the model's own, and no other of them has its id. */
function isPlainCall({ id, callerId }: ToolCall, nth: number, calls: readonly ToolCall[]): boolean {
  return (
    typeof id === "string" && id !== "" && callerId === undefined && placeOf(id, calls) === nth
  );
}

function placeOf(callId: string, calls: readonly ToolCall[]): number {
  for (let nth = 0; nth < calls.length; nth++) if (calls[nth]?.id === callId) return nth;
  return -1;
}
