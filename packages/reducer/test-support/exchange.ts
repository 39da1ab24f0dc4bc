import { action, observation } from "@agent-history/core";
import type { HistoryEntry } from "@agent-history/core";

/** Returns a call, one token by the character counter, and a result of `length` tokens. */
export function exchange(id: string, length: number): readonly HistoryEntry[] {
  return exchangeOf(id, "r".repeat(length));
}

/** Returns a call, one token by the character counter, and a result with this content. */
export function exchangeOf(id: string, content: string): readonly HistoryEntry[] {
  const answers = { callId: id, toolName: "t", outcome: "success" } as const;
  return [
    action({ id, toolCalls: [{ id, name: "t", arguments: "{}" }], content: "c" }),
    observation({ id: `r-${id}`, ...answers, content }),
  ];
}
