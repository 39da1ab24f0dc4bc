import type { ActionEntry, ObservationEntry } from "@agent-history/core";

import type { KnownFacts } from "./known-facts.ts";
import type { ThreadHead } from "./thread-head.ts";

/** How many actions with open calls are remembered of an agent. */
const MAX_OPEN = 16;

/** Remembers the calls of an action. */
export function openCalls(action: ActionEntry, position: number, facts: KnownFacts): void {
  const { id, agent, toolCalls } = action;
  if (toolCalls.length === 0) return;
  const known = facts.agent(agent?.id);
  const calls = toolCalls.map((call) => call.id);
  const open = [...known.open, { at: position, id, calls }];
  const isCut = known.isCut === true || open.length > MAX_OPEN;
  const fact = { ...known, open: open.slice(-MAX_OPEN), ...(isCut ? { isCut } : {}) };
  facts.setAgent(agent?.id, fact, position);
}

/**
 * Finds the action whose call made calls of another, as `pairCalls` does: the newest of its agent that has an open call of the id. Where there
 * is none, an answered call may have made it, and the head says so.
 */
export function callerOf(
  { agent, toolCalls }: ActionEntry,
  position: number,
  facts: KnownFacts,
  head: ThreadHead,
): number | undefined {
  const own = new Set(toolCalls.map(({ id }) => id));
  const callers = toolCalls.flatMap(({ callerId = [] }) => callerId).filter((id) => !own.has(id));
  for (const callerId of callers) {
    const caller = facts.agent(agent?.id).open.findLast(({ calls }) => calls.includes(callerId));
    if (caller === undefined || caller.at <= head.crossed) head.pairDoubt = position;
    if (caller !== undefined) return caller.at;
  }
  return undefined;
}

/**
 * Finds the action that an observation answers, as `pairCalls` does: the one it names, else the newest of its agent
 * that has an open call of its id. Where what is remembered does not decide that, the head says so from here on.
 */
export function pairObservation(
  observation: ObservationEntry,
  position: number,
  facts: KnownFacts,
  head: ThreadHead,
): number | undefined {
  const { agent, actionId, callId } = observation;
  const known = facts.agent(agent?.id);
  const action = known.open.findLast(
    ({ id, calls }) => (actionId === undefined || id === actionId) && calls.includes(callId),
  );
  if (action === undefined) {
    // It may answer an action that was forgotten, or one of another agent.
    if (actionId !== undefined || known.isCut === true) head.pairDoubt = position;
    if (actionId !== undefined) head.crossed = position;
    return undefined;
  }
  if (action.at <= head.crossed) head.pairDoubt = position;
  const calls = action.calls.toSpliced(action.calls.indexOf(callId), 1);
  const open = known.open.flatMap((one) => {
    if (one !== action) return one;
    return calls.length === 0 ? [] : { ...one, calls };
  });
  facts.setAgent(agent?.id, { ...known, open }, position);
  return action.at;
}
