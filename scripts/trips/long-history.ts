import { action, assistantMessage, observation, userMessage } from "@agent-history/core";
import type { HistoryEntry } from "@agent-history/core";

/** Forty turns, each with a question, a call, its result and an answer: some 12,000 tokens. */
export const longHistory: readonly HistoryEntry[] = Array.from({ length: 40 }, (_, turn) => {
  const call = { id: `c${turn}`, name: "read_file", arguments: `{"path":"src/part-${turn}.ts"}` };
  const result = { callId: call.id, toolName: call.name, outcome: "success" } as const;
  return [
    userMessage({ id: `u${turn}`, createdAtMs: turn, content: `What does part ${turn} do?` }),
    action({ id: `x${turn}`, createdAtMs: turn, toolCalls: [call] }),
    observation({ id: `r${turn}`, createdAtMs: turn, ...result, content: textOf(turn) }),
    assistantMessage({
      id: `a${turn}`,
      createdAtMs: turn,
      content: `It reads order A-${turn} of 2026-03-${10 + (turn % 20)}.`,
    }),
  ];
}).flat();

function textOf(turn: number): string {
  return Array.from({ length: 30 }, (_, line) => `Line ${line} of part ${turn} loads orders.`).join(
    "\n",
  );
}
