import { groupExchanges, overReadable } from "@agent-history/core";
import type { HistoryEntry, ToolCall, ToolRound } from "@agent-history/core";

/** Returns which call each result answers, by core's pairing; a call of another format without its `extra`. Linear. */
export function answeredCalls(
  entries: readonly HistoryEntry[],
  isOwn: (entry: HistoryEntry) => boolean,
): ReadonlyMap<HistoryEntry, ToolCall> {
  return overReadable(entries, (readable) => {
    const callOf = new Map<HistoryEntry, ToolCall>();
    for (const group of groupExchanges(readable)) {
      if (group.kind === "single") continue;
      for (const round of group.rounds) addAnswers(round, isOwn(round.action), callOf);
    }
    return callOf;
  });
}

function addAnswers(
  { action, observations }: ToolRound,
  isOwnCall: boolean,
  callOf: Map<HistoryEntry, ToolCall>,
): void {
  const open = new Map<string, ToolCall[]>();
  for (const call of action.toolCalls.toReversed()) {
    const calls = open.get(call.id);
    if (calls === undefined) open.set(call.id, [call]);
    else calls.push(call);
  }
  for (const result of observations) {
    const call = open.get(result.callId)?.pop();
    if (call !== undefined) callOf.set(result, isOwnCall ? call : withoutExtra(call));
  }
}

function withoutExtra({ extra: _, ...call }: ToolCall): ToolCall {
  return call;
}
