import type { HistoryEntry, ToolCall } from "@agent-history/core";

type Call = Pick<ToolCall, "id" | "callerId">;

/**
 * Returns whether a call from an index on was made by a call before `settledUntil`, whose exchange is settled: both must be paired together. A program
 * that a provider runs makes calls too, and may be no call itself: then calls of one caller stand together.
 */
export function isCalledFromBefore(
  entries: readonly HistoryEntry[],
  { settledUntil, from }: { readonly settledUntil: number; readonly from: number },
): boolean {
  const isSettled = ({ callerId }: Call, index: number): boolean => {
    const caller = callerId === undefined ? -1 : callerOf(callerId, index, entries);
    return caller >= 0 && caller < settledUntil;
  };
  try {
    return entries.slice(from).some(({ agent }, nth) => {
      const index = from + nth;
      return callsAt(index, entries, agent?.id).some((call) => isSettled(call, index));
    });
  } catch {
    // What cannot be read is left out of a pairing.
    return false;
  }
}

/** The index of the newest action of an agent, up to one of its own, that made a call or is of the same caller; -1 where there is none. */
function callerOf(callerId: string, index: number, entries: readonly HistoryEntry[]): number {
  const agentId = entries[index]?.agent?.id;
  const isOfCaller =
    (at: number) =>
    (call: Call): boolean =>
      call.id === callerId || (at < index && call.callerId === callerId);
  let at = index;
  while (at >= 0 && !callsAt(at, entries, agentId).some(isOfCaller(at))) at -= 1;
  return at;
}

/** The calls that an agent made at an index. */
function callsAt(
  index: number,
  entries: readonly HistoryEntry[],
  agentId: string | undefined,
): readonly Call[] {
  const entry = entries[index];
  return entry?.type === "action" && entry.agent?.id === agentId ? entry.toolCalls : [];
}
