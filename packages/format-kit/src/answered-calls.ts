import { groupExchanges } from "@agent-history/core";
import type { HistoryEntry, ToolCall } from "@agent-history/core";

/** Gives which call each result answers, by core's pairing; a call of another format without its `extra`. Linear. */
export function answeredCalls(
  entries: readonly HistoryEntry[],
  isOwn: (entry: HistoryEntry) => boolean,
): ReadonlyMap<HistoryEntry, ToolCall> {
  const callOf = new Map<HistoryEntry, ToolCall>();
  for (const group of groupExchanges(entries)) {
    if (group.kind === "single") continue;
    const isOwnCall = isOwn(group.action);
    const open = new Map<string, ToolCall[]>();
    for (const call of group.action.toolCalls.toReversed()) {
      const calls = open.get(call.id);
      if (calls === undefined) open.set(call.id, [call]);
      else calls.push(call);
    }
    for (const result of group.observations) {
      const call = open.get(result.callId)?.pop();
      if (call !== undefined) callOf.set(result, isOwnCall ? call : withoutExtra(call));
    }
  }
  return callOf;
}

function withoutExtra({ extra: _, ...call }: ToolCall): ToolCall {
  return call;
}
