import { groupExchanges } from "@agent-history/core";
import type { HistoryEntry } from "@agent-history/core";

/** Gives the results that answer a request for an approval, by core's pairing. Linear. */
export function answeredRequests(entries: readonly HistoryEntry[]): ReadonlySet<HistoryEntry> {
  const answers = new Set<HistoryEntry>();
  for (const group of groupExchanges(entries)) {
    if (group.kind === "single" || group.action.origin?.format !== "ai-sdk") continue;
    const ids = new Set(group.action.toolCalls.filter(isRequest).map(({ id }) => id));
    for (const result of group.observations) if (ids.has(result.callId)) answers.add(result);
  }
  return answers;
}

function isRequest({ extra }: { readonly extra?: { readonly [key: string]: unknown } }): boolean {
  return extra?.["as"] === "tool-approval-request";
}
