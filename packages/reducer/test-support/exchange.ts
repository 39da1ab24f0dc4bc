import { action, observation } from "@agent-history/core";
import type { HistoryEntry } from "@agent-history/core";

/** A call, of one token by the character counter, and a result of so many. */
export function exchange(id: string, length: number): readonly HistoryEntry[] {
  return exchangeOf(id, "r".repeat(length));
}

/** A call, of one token by the character counter, and a result that says this. */
export function exchangeOf(id: string, content: string): readonly HistoryEntry[] {
  const answers = { callId: id, toolName: "t", outcome: "success" } as const;
  return [
    action({ id, toolCalls: [{ id, name: "t", arguments: "{}" }], content: "c" }),
    observation({ id: `r-${id}`, ...answers, content }),
  ];
}
